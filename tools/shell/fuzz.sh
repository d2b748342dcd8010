# The fuzzers: of all calls, on the host under sanitizers and on emulated kernels, and of the command's readers.

fuzz_usage() { die "usage: tools/dev fuzz [--host] [--emulated] [--readers [FILE]] [--seconds N] [--seed S] [--only FAMILY]"; }

# build_fuzzer host|emulated: leaves the program's path in `program`.
build_fuzzer() {
    local folder
    if [ "$1" = host ]; then
        configure_sanitized address
        folder=$(sanitized_folder address)
    else
        folder=$(main_folder)
        configure "$folder" "$(cuda_option)"
    fi
    build "$folder" "kogge_fuzz_$1"
    program=$folder/tests/fuzz/kogge_fuzz_$1
}

# has_libfuzzer: a clang++ that links it, in `fuzzing_clang`.
has_libfuzzer() {
    local nothing='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    for fuzzing_clang in clang++ clang++-{20,19,18,17,16,15,14}; do
        if command -v "$fuzzing_clang" > /dev/null &&
            "$fuzzing_clang" -fsanitize=fuzzer,address -x c++ - -o /dev/null <<< "$nothing" 2> /dev/null; then
            return 0
        fi
    done
    return 1
}

# build_reader_fuzzer: of the harness and the sources behind the headers that it needs, and those that these need.
build_reader_fuzzer() {
    local folder=$build_root/fuzz readers=$root/tools/kogge source header
    local sources=("$root/tests/fuzz/reader_fuzz.cpp") flags=(-std=c++20 -I "$root/include" -I "$readers") next=0
    mkdir -p "$folder"
    while [ "$next" -lt ${#sources[@]} ]; do
        for header in $("$fuzzing_clang" "${flags[@]}" -MM "${sources[$next]}" | grep -oE "$readers/[a-z_/]+\.hpp"); do
            source=${header%.hpp}.cpp
            if [ -e "$source" ] && [[ " ${sources[*]} " != *" $source "* ]]; then sources+=("$source"); fi
        done
        next=$((next + 1))
    done
    say "building reader_fuzz with $fuzzing_clang"
    program=$folder/reader_fuzz
    "$fuzzing_clang" "${flags[@]}" -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        "${sources[@]}" -o "$program" || die "the build failed; the first error is above"
}

# fuzz_readers SECONDS [FILE]: that file alone, or as many inputs as there is time for.
fuzz_readers() {
    local folder=$build_root/fuzz log=$build_root/fuzz/readers.log status=0 inputs input
    if [ -n "${2:-}" ]; then
        "$program" "$2" > "$log" 2>&1 || status=$?
        inputs=1
    else
        mkdir -p "$folder/corpus"
        rm -f "$folder"/{crash,leak,oom,timeout}-*
        "$program" -max_total_time="$1" -max_len=4096 -timeout=60 -print_final_stats=1 -artifact_prefix="$folder/" \
            "$folder/corpus" > "$log" 2>&1 || status=$?
        inputs=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log")
    fi
    if [ "$status" -ne 0 ]; then
        tail -40 "$log"
        input=${2:-$(find "$folder" -maxdepth 1 -name '*-*' -newer "$program" -type f | head -1)}
        echo "FAILED: tools/dev fuzz --readers $input  # $(grep -m1 -E '^FAILED|^==.*ERROR|runtime error' "$log")"
        failed=$((failed + 1))
    else
        echo "readers: ${inputs:-0} inputs in ${1} s"
        passed=$((passed + 1))
    fi
    return "$status"
}

# run_fuzzers PROGRAM...: all at once, with the words of `fuzz_words`.
run_fuzzers() {
    local log=$build_root/fuzz status=0 fuzzer job jobs=() counts
    mkdir -p "$log"
    for fuzzer; do
        UBSAN_OPTIONS=print_stacktrace=1 "$fuzzer" "${fuzz_words[@]}" > "$log/${fuzzer##*/}.log" 2>&1 &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || status=1; done
    for fuzzer; do
        counts=$(tail -1 "$log/${fuzzer##*/}.log")
        [[ $counts == *" passed, "*" failed" ]] || die "${fuzzer##*/} ended early: $counts"
        head -n -1 "$log/${fuzzer##*/}.log"
        passed=$((passed + ${counts%% *}))
        counts=${counts#*, }
        failed=$((failed + ${counts%% *}))
    done
    return "$status"
}

cmd_fuzz() {
    local seconds='' file='' machines=() readers='' programs=() status=0 share program fuzzing_clang machine
    fuzz_words=()
    while [ $# -gt 0 ]; do
        case $1 in
            --host | --emulated) machines+=("${1#--}") ;;
            --readers)
                readers=only
                if [[ ${2:-} == [!-]* ]]; then
                    file=$2
                    shift
                fi
                ;;
            --seconds)
                [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fuzz_usage
                seconds=$2
                shift
                ;;
            --seed)
                [[ ${2:-} =~ ^[0-9]+$ ]] || fuzz_usage
                fuzz_words+=("$1" "$2")
                shift
                ;;
            --only)
                [ -n "${2:-}" ] || fuzz_usage
                fuzz_words+=("$1" "$2")
                shift
                ;;
            *) fuzz_usage ;;
        esac
        shift
    done
    # One case is of the calls; everything is fuzzed where nothing is chosen.
    if [ -z "$readers" ] && [ ${#machines[@]} -eq 0 ]; then
        machines=(host emulated)
        if [ ${#fuzz_words[@]} -eq 0 ]; then readers=too; fi
    fi
    if [ -z "$seconds" ] && [[ " ${fuzz_words[*]} " != *" --seed "* ]]; then seconds=60; fi

    require compiler cmake ninja gtest
    if [[ " ${machines[*]} " == *" emulated "* ]] && ! is_met context; then
        want context
        mapfile -t machines < <(printf '%s\n' "${machines[@]}" | grep -v emulated)
    fi
    if [ -n "$readers" ] && ! has_libfuzzer; then
        note "no clang++ with libFuzzer: the command's readers are not fuzzed"
        readers=
    fi
    for machine in "${machines[@]}"; do
        build_fuzzer "$machine"
        programs+=("$program")
    done
    share=$seconds
    if [ -n "$readers" ] && [ ${#machines[@]} -gt 0 ]; then share=$((seconds - seconds / 6)); fi
    if [ ${#programs[@]} -gt 0 ]; then
        if [ -n "$seconds" ]; then fuzz_words+=(--seconds "$share"); fi
        say "fuzzing the calls${seconds:+ for $share s}: ${machines[*]}"
        run_fuzzers "${programs[@]}" || status=$?
    fi
    if [ -n "$readers" ]; then
        if [ ${#machines[@]} -gt 0 ]; then share=$((seconds / 6 + 1)); fi
        build_reader_fuzzer
        say "fuzzing the command's readers"
        fuzz_readers "$share" "$file" || status=$?
    fi
    echo "$passed passed, $failed failed"
    return "$status"
}
