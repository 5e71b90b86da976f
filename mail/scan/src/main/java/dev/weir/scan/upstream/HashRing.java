package dev.weir.scan.upstream;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * A consistent hash ring that maps digests to shards (docs/reference/scanner.md#selection). It has 100 points for each
 * unit of weight; a point is the XXH64 of {@code name:index} with seed 0xa574de7df64e9b9d. A digest belongs to the
 * first point at or after its hash.
 *
 * <p>The ring contains all servers of the list, including unavailable ones, because no other server knows their hashes.
 * Adding a server moves only the digests that it takes over. Immutable.
 */
public final class HashRing {
    private static final Hasher64 HASH = Hashing.xxh64(0xa574de7df64e9b9dL);
    private static final int POINTS = 100;

    private final long[] points;
    private final int[] owners;

    /**
     * Creates a ring.
     *
     * @param names the names of the servers, at least one
     * @param weights the weights of the servers; 0 counts as 1
     */
    public HashRing(List<String> names, List<Integer> weights) {
        record Point(long hash, int owner) {}
        List<Point> sorted = new java.util.ArrayList<>();
        for (int owner = 0; owner < names.size(); owner++) {
            for (int i = 0; i < POINTS * Math.max(weights.get(owner), 1); i++) {
                byte[] key = (names.get(owner) + ":" + i).getBytes(StandardCharsets.UTF_8);
                sorted.add(new Point(HASH.hashBytesToLong(key), owner));
            }
        }
        // If two points have the same hash, the first one in the list counts.
        sorted.sort((a, b) -> Long.compareUnsigned(a.hash(), b.hash()));
        points = sorted.stream().mapToLong(Point::hash).toArray();
        owners = sorted.stream().mapToInt(Point::owner).toArray();
    }

    /** Returns the index of the server that owns a digest. */
    public int owner(byte[] digest) {
        long hash = HASH.hashBytesToLong(digest);
        int from = 0;
        int to = points.length;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (Long.compareUnsigned(points[middle], hash) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return owners[from == points.length ? 0 : from];
    }

    /** Returns the share of the ring that each server has. */
    double[] shares(int servers) {
        double[] shares = new double[servers];
        for (int i = 0; i < points.length; i++) {
            long before = points[i == 0 ? points.length - 1 : i - 1];
            shares[owners[i]] += Math.scalb((double) ((points[i] - before) >>> 11), -53);
        }
        return shares;
    }

    @Override
    public String toString() {
        return "HashRing" + Arrays.toString(shares(Arrays.stream(owners).max().orElse(0) + 1));
    }
}
