package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of a file, in the page cache and on the disk. After a power failure, an unsynced sector may have any of
 * its contents since the last sync, or half of one and half of another.
 */
final class SimulatedFile {
    static final int SECTOR = 512;

    private byte[] cache = new byte[0];
    private int size;
    private byte[] lasting = new byte[0];
    private int lastingSize;
    private final Map<Integer, List<byte[]>> unforced = new TreeMap<>();
    private final List<Integer> unforcedSizes = new ArrayList<>();
    private final TreeSet<Integer> bad = new TreeSet<>();

    int size() {
        return size;
    }

    SimulatedFile copy() {
        SimulatedFile copy = new SimulatedFile();
        copy.cache = cache.clone();
        copy.size = size;
        copy.lasting = cache.clone();
        copy.lastingSize = size;
        return copy;
    }

    /** Returns what a process reads. */
    byte[] visible() {
        return Arrays.copyOf(cache, size);
    }

    /** Returns what certainly is on the disk. */
    byte[] lasting() {
        return Arrays.copyOf(lasting, lastingSize);
    }

    int read(ByteBuffer target, long position, int most) throws IOException {
        if (position >= size) {
            return -1;
        }
        int count = (int) Math.min(Math.min(target.remaining(), size - position), most);
        Integer next = bad.ceiling((int) position / SECTOR);
        if (next != null && next * SECTOR <= position) {
            throw new IOException("bad sector " + next);
        }
        if (next != null) {
            count = (int) Math.min(count, next * SECTOR - position);
        }
        target.put(cache, (int) position, count);
        return count;
    }

    void write(ByteBuffer source, int position, int count) {
        int end = position + count;
        cache = grown(cache, end);
        lasting = grown(lasting, end);
        source.get(cache, position, count);
        if (end > size) {
            size = end;
            unforcedSizes.add(size);
        }
        for (int s = position / SECTOR; s * SECTOR < end; s++) {
            bad.remove(s);
            unforced.computeIfAbsent(s, k -> new ArrayList<>(2))
                    .add(Arrays.copyOfRange(cache, s * SECTOR, (s + 1) * SECTOR));
        }
    }

    private static byte[] grown(byte[] bytes, int end) {
        int length = (end + SECTOR - 1) / SECTOR * SECTOR;
        return length > bytes.length ? Arrays.copyOf(bytes, length) : bytes;
    }

    void truncate(int length) {
        if (length < size) {
            size = length;
            unforcedSizes.add(size);
        }
    }

    void spoil(int position) {
        bad.add(position / SECTOR);
    }

    void flip(int position, int bits) {
        cache[position] ^= (byte) bits;
        lasting[position] ^= (byte) bits;
    }

    void force() {
        unforced.forEach((s, versions) -> System.arraycopy(versions.getLast(), 0, lasting, s * SECTOR, SECTOR));
        unforced.clear();
        unforcedSizes.clear();
        lastingSize = size;
    }

    /** Syncs the bytes between two positions only. */
    void force(int from, int to) {
        for (int s = from / SECTOR; s * SECTOR < to; s++) {
            List<byte[]> versions = unforced.remove(s);
            if (versions != null) {
                System.arraycopy(versions.getLast(), 0, lasting, s * SECTOR, SECTOR);
            }
        }
    }

    /**
     * A sync that fails after some sectors. With {@code drops}, the others become clean as in Linux: they are visible
     * until the power fails, and no later sync writes them.
     */
    void forceFailing(Faults faults, boolean drops) {
        unforced.forEach((s, versions) -> {
            if (faults.coin()) {
                System.arraycopy(versions.getLast(), 0, lasting, s * SECTOR, SECTOR);
            }
        });
        if (drops) {
            unforced.clear();
            if (faults.coin()) {
                lastingSize = size;
            }
            unforcedSizes.clear();
        }
    }

    /** A sync that fails at once. Nothing that was written will ever reach the disk. */
    void forceNothing() {
        unforced.clear();
        unforcedSizes.clear();
    }

    /** Drops clean sectors from memory, so that they are read from the disk. */
    void evict(Faults faults) {
        for (int s = 0; s * SECTOR < size; s++) {
            if (!unforced.containsKey(s) && faults.coin()) {
                if (!Arrays.equals(cache, s * SECTOR, (s + 1) * SECTOR, lasting, s * SECTOR, (s + 1) * SECTOR)) {
                    faults.note(Fault.EVICTED_SECTOR);
                }
                System.arraycopy(lasting, s * SECTOR, cache, s * SECTOR, SECTOR);
            }
        }
    }

    void crash(Faults faults) {
        unforced.forEach((s, versions) -> {
            int last = versions.size() - 1;
            switch (faults.below(4)) {
                case 0 -> faults.note(Fault.LOST_SECTOR);
                case 1 -> System.arraycopy(versions.get(last), 0, lasting, s * SECTOR, SECTOR);
                case 2 -> {
                    int chosen = faults.below(versions.size());
                    if (chosen < last) {
                        faults.note(Fault.OLDER_SECTOR);
                    }
                    System.arraycopy(versions.get(chosen), 0, lasting, s * SECTOR, SECTOR);
                }
                default -> {
                    int from = faults.coin() ? 0 : SECTOR / 2;
                    faults.note(Fault.TORN_SECTOR);
                    System.arraycopy(versions.get(last), from, lasting, s * SECTOR + from, SECTOR / 2);
                }
            }
        });
        unforced.clear();
        int chosen = faults.below(unforcedSizes.size() + 1);
        if (chosen < unforcedSizes.size()) {
            faults.note(Fault.LOST_LENGTH);
        }
        if (chosen > 0) {
            lastingSize = unforcedSizes.get(chosen - 1);
        }
        unforcedSizes.clear();
        size = lastingSize;
        Arrays.fill(lasting, Math.min(size, lasting.length), lasting.length, (byte) 0);
        cache = lasting.clone();
    }
}
