package dev.weir.storage.index;

/**
 * How hashes of H bits are laid out over B buckets, and what 32 bits of an entry mean.
 *
 * <p>The hash h belongs into bucket ⌊h·B / 2^H⌋: no division, any B, and the order of the buckets is that of the hashes.
 * The fraction that the rounding cuts off tells apart the hashes of one bucket, which are at least B/2^H apart in it, so
 * its upper H - ⌊log2 B⌋ bits do. They are the tag, the upper bits of an entry; the lower ones are the id. Bucket and tag
 * together give h back, so that a table can be rearranged without looking anywhere else, and two hashes never look the
 * same.
 */
final class Mapping {
    final long buckets;
    private final int hashBits;
    private final int shift;
    private final int idBits;
    private final double inverse;

    Mapping(long buckets, int hashBits) {
        this.buckets = buckets;
        this.hashBits = hashBits;
        this.shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(buckets);
        this.idBits = Integer.SIZE - hashBits + shift;
        this.inverse = 1.0 / buckets;
    }

    /** Width of an id. */
    int idBits() {
        return idBits;
    }

    long bucket(long hash) {
        return (hash * buckets) >>> hashBits;
    }

    /** An entry of this hash with the id 0. */
    int tag(long hash) {
        return (int) ((hash * buckets) >>> shift) << idBits;
    }

    /** The hash of an entry: the largest with this bucket and tag, as there is only one. */
    long hash(long bucket, int entry) {
        long fraction = (((long) (entry >>> idBits) + 1) << shift) - 1;
        long product = (bucket << hashBits) | fraction;
        // The hash has at most 31 bits, so the rounded quotient is right or one off; that costs less than a division.
        long hash = (long) (product * inverse);
        long rest = product - hash * buckets;
        return rest < 0 ? hash - 1 : rest >= buckets ? hash + 1 : hash;
    }

    int id(int entry) {
        return entry & ((1 << idBits) - 1);
    }
}
