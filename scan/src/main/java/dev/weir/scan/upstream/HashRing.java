package dev.weir.scan.upstream;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * Which shard a digest belongs to: a ring with 100 points for each unit of weight, XXH64 of {@code name:index} with
 * seed
 * 0xa574de7df64e9b9d; a digest belongs to the first point at or after its own hash
 * (docs/reference/scanner.md#selection).
 *
 * <p>All servers of the list are on the ring, also those that are away: another one does not know what they hold.
 * Adding
 * a server moves the share of digests that become its own, and no others. Immutable.
 */
public final class HashRing {
    private static final Hasher64 HASH = Hashing.xxh64(0xa574de7df64e9b9dL);
    private static final int POINTS = 100;

    private final long[] points;
    private final int[] owners;

    /**
     * A ring.
     *
     * @param names of the servers, at least one
     * @param weights of the servers; 0 counts as 1
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
        // Of two points with one hash the first in the list counts.
        sorted.sort((a, b) -> Long.compareUnsigned(a.hash(), b.hash()));
        points = sorted.stream().mapToLong(Point::hash).toArray();
        owners = sorted.stream().mapToInt(Point::owner).toArray();
    }

    /** The place of the server that a digest belongs to. */
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

    /** The share of the ring that each server has, which tells how even it is. */
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
