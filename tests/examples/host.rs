//! kogge from Rust: the few functions of kogge.h that are wanted, declared by hand, and safe ones around them. Slices are
//! memory of the host, so its threads do the work.
//!
//!     rustc --edition 2021 -O host.rs -L native=FOLDER_OF_LIBKOGGE -C link-arg=-Wl,-rpath,FOLDER_OF_LIBKOGGE && ./host
use std::ffi::{c_char, c_int, c_void, CStr};
use std::{mem, ptr};

/// kogge_sort_options: what is 0 is the default.
#[repr(C)]
#[derive(Default)]
struct SortOptions {
    size: usize,
    order: c_int,
    begin_bit: c_int,
    end_bit: c_int,
    zeros: c_int,
    nans: c_int,
}
const DESCENDING: c_int = 2;
const NANS_LAST: c_int = 1;
const U32: c_int = 6;

#[link(name = "kogge")]
extern "C" {
    fn kogge_version() -> *const c_char;
    fn kogge_message() -> *const c_char;
    fn kogge_radix_sort(keys: *const c_void, key_type: c_int, keys_out: *mut c_void, n: u64, options: *const SortOptions,
                        exec: *const c_void) -> c_int;
    fn kogge_arg_top_k(keys: *const c_void, key_type: c_int, keys_out: *mut c_void, indices: *mut c_void,
                       index_type: c_int, n: u64, k: u64, options: *const SortOptions, exec: *const c_void) -> c_int;
}

/// A type that the library knows, and its kogge_type.
///
/// # Safety
/// The number must be that of a type of the same layout.
unsafe trait Number: Copy {
    const TYPE: c_int;
}
unsafe impl Number for u32 {
    const TYPE: c_int = U32;
}
unsafe impl Number for i64 {
    const TYPE: c_int = 9;
}
unsafe impl Number for f32 {
    const TYPE: c_int = 14;
}

fn text(from: unsafe extern "C" fn() -> *const c_char) -> String {
    unsafe { CStr::from_ptr(from()) }.to_string_lossy().into_owned()
}

fn result(status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(text(kogge_message)) }
}

/// Sorts in place; stable in both orders.
fn sort<T: Number>(items: &mut [T], options: SortOptions) -> Result<(), String> {
    let options = SortOptions { size: mem::size_of::<SortOptions>(), ..options };
    let keys = items.as_mut_ptr().cast();
    result(unsafe { kogge_radix_sort(keys, T::TYPE, keys, items.len() as u64, &options, ptr::null()) })
}

/// The indices of the k greatest items, the greatest first.
fn arg_top_k<T: Number>(items: &[T], k: usize) -> Result<Vec<u32>, String> {
    let options = SortOptions { size: mem::size_of::<SortOptions>(), nans: NANS_LAST, ..Default::default() };
    // The library checks k, but the room for the indices is made before it is asked.
    let mut indices = vec![0u32; k.min(items.len())];
    result(unsafe {
        kogge_arg_top_k(items.as_ptr().cast(), T::TYPE, ptr::null_mut(), indices.as_mut_ptr().cast(), U32,
                        items.len() as u64, k as u64, &options, ptr::null())
    })?;
    Ok(indices)
}

fn main() -> Result<(), String> {
    println!("kogge {}", text(kogge_version));

    let mut state = 1u32;
    let random: Vec<u32> = (0..1_000_000)
        .map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state
        })
        .collect();
    let mut sorted = random.clone();
    sort(&mut sorted, SortOptions::default())?;
    let mut expected = random.clone();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    println!("sorted {} numbers: {} is the least", sorted.len(), sorted[0]);

    let mut signed: Vec<i64> = random.iter().map(|&x| i64::from(x) - (1 << 31)).collect();
    sort(&mut signed, SortOptions { order: DESCENDING, ..Default::default() })?;
    assert!(signed.windows(2).all(|pair| pair[0] >= pair[1]));

    let scores = [0.5f32, f32::NAN, 8.0, -1.0, 8.0, 3.0];
    let best = arg_top_k(&scores, 3)?;
    assert_eq!(best, [2, 4, 5]); // of equal items the first one
    println!("the best of {scores:?}: {best:?}");

    let refused = arg_top_k(&scores, 7).unwrap_err();
    println!("refused: {refused}");
    Ok(())
}
