package dev.weir.storage.index;

/**
 * The mapping of hashes with H bits to B buckets, and of an entry's 32 bits to tag and id.
 *
 * <p>The hash h belongs to bucket ⌊h·B / 2^H⌋. This needs no division, allows any B, and keeps buckets in the order of
 * their hashes. Hashes of one bucket differ in the fraction that the rounding cuts off. They are at least B/2^H apart
 * in it, so its upper H - ⌊log2 B⌋ bits tell them apart. These bits are the tag, the upper bits of an entry; the lower
 * bits are the id. Bucket and tag together restore h. So a bucket can split without reading anything else, and two
 * hashes never look the same.
 */
final class BucketMapping {
    final long buckets;
    private final int hashBits;
    private final int shift;
    private final int idBits;
    private final double inverse;

    BucketMapping(long buckets, int hashBits) {
        this.buckets = buckets;
        this.hashBits = hashBits;
        this.shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(buckets);
        this.idBits = Integer.SIZE - hashBits + shift;
        this.inverse = 1.0 / buckets;
    }

    /** Returns the width of an id in bits. */
    int idBits() {
        return idBits;
    }

    long bucket(long hash) {
        return (hash * buckets) >>> hashBits;
    }

    /** Returns an entry of this hash with the id 0. */
    int tag(long hash) {
        return (int) ((hash * buckets) >>> shift) << idBits;
    }

    /** Returns the hash of an entry. Exactly one hash has this bucket and tag. */
    long hash(long bucket, int entry) {
        long fraction = (((long) (entry >>> idBits) + 1) << shift) - 1;
        long product = (bucket << hashBits) | fraction;
        // The hash has at most 31 bits, so the rounded quotient is right or off by one. This is faster than a division.
        long hash = (long) (product * inverse);
        long rest = product - hash * buckets;
        return rest < 0 ? hash - 1 : rest >= buckets ? hash + 1 : hash;
    }

    int id(int entry) {
        return entry & ((1 << idBits) - 1);
    }
}
