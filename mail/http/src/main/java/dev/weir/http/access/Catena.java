package dev.weir.http.access;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.bouncycastle.crypto.digests.Blake2bDigest;

/**
 * Rspamd's variant of the password hash Catena-Butterfly (docs/reference/rspamd-http.md#stored-passwords), which
 * differs from the published one: a graph of 2 · garlic - 1 rows of 2^garlic cells of 64 bytes, processed four times. A
 * password costs about 80,000 BLAKE2b computations and 100 KB of memory. For one thread and one password.
 */
final class Catena {
    private static final int CELL = 64;
    private static final int LAMBDA = 4;
    private static final int GARLIC = 10;
    private static final String VERSION = "Butterfly-Full";
    private static final String ASSOCIATED = "rspamd";

    private final Blake2bDigest digest = new Blake2bDigest(CELL * 8);
    private final byte[] salt;
    private final byte[] xor = new byte[CELL];
    private final byte[] zero = {0};

    private Catena(byte[] salt) {
        this.salt = salt;
    }

    static byte[] key(byte[] password, byte[] salt) {
        return new Catena(salt).key(password);
    }

    private byte[] key(byte[] password) {
        byte[] tweak = {0, LAMBDA, StoredPassword.KEY, (byte) salt.length};
        byte[] x = hash(hash(VERSION.getBytes(StandardCharsets.US_ASCII)), tweak,
                hash(ASSOCIATED.getBytes(StandardCharsets.US_ASCII)), password, salt);
        x = flap(x, (GARLIC + 1) / 2);
        x = flap(x, GARLIC);
        x = hash(new byte[]{GARLIC}, x);
        return Arrays.copyOf(x, StoredPassword.KEY);
    }

    private byte[] hash(byte[]... parts) {
        for (byte[] part : parts) {
            digest.update(part, 0, part.length);
        }
        byte[] out = new byte[CELL];
        digest.doFinal(out, 0);
        return out;
    }

    private byte[] flap(byte[] x, int garlic) {
        int columns = 1 << garlic;
        int half = columns / 2;
        byte[] cells = new byte[(columns + half) * CELL];
        byte[] v1 = hash(zero, x);
        byte[] v2 = hash(new byte[]{1}, x);
        put(cells, 0, hash(v1, v2));
        put(cells, 1, hash(cell(cells, 0), v1));
        for (int i = 2; i < columns; i++) {
            pair(cells, i, i - 1, i - 2);
        }
        gamma(cells, garlic);
        return graph(cells, garlic, columns, half);
    }

    /** Accesses cells in a random order that depends on the salt only. */
    private void gamma(byte[] cells, int garlic) {
        Sequence sequence = new Sequence(hash(salt), digest);
        for (int left = 1 << ((3 * garlic + 3) / 4); left > 0; left--) {
            int target = (int) (sequence.next() >>> (Long.SIZE - garlic));
            int other = (int) (sequence.next() >>> (Long.SIZE - garlic));
            pair(cells, target, target, other);
        }
    }

    private byte[] graph(byte[] cells, int garlic, int columns, int half) {
        int rows = 2 * garlic;
        int turn = 0;
        for (int round = 0; round < LAMBDA; round++) {
            for (int i = 1; i < rows; i++) {
                int above = i - 1;
                xor(cells, place(above, columns - 1, turn, columns, half), place(above, 0, turn, columns, half));
                byte[] first = hash(xor, cell(cells, place(above, partner(above, 0, garlic), turn, columns, half)));
                put(cells, place(i, 0, turn, columns, half), hash(zero, first));
                for (int j = 1; j < columns; j++) {
                    int target = place(i, j, turn, columns, half);
                    xor(cells, place(i, j - 1, turn, columns, half), place(above, j, turn, columns, half));
                    int other = place(above, partner(above, j, garlic), turn, columns, half);
                    digest.update(xor, 0, CELL);
                    digest.update(cells, other * CELL, CELL);
                    digest.doFinal(cells, target * CELL);
                }
            }
            turn = (turn + rows - 1) % 3;
        }
        return cell(cells, place(0, columns - 1, turn, columns, half));
    }

    /** Returns the position of a cell. Memory holds two rows, and each row alternates between the halves. */
    private static int place(int row, int column, int turn, int columns, int half) {
        return switch ((row + turn) % 3) {
            case 0 -> column;
            case 1 -> column < half ? column + columns : column - half;
            default -> column + half;
        };
    }

    /** Returns the other parent of a cell, as in a fast Fourier transform and back. */
    private static int partner(int row, int column, int garlic) {
        return row < garlic ? column ^ (1 << (garlic - 1 - row)) : column ^ (1 << (row - (garlic - 1)));
    }

    private void xor(byte[] cells, int a, int b) {
        for (int i = 0; i < CELL; i++) {
            xor[i] = (byte) (cells[a * CELL + i] ^ cells[b * CELL + i]);
        }
    }

    private void pair(byte[] cells, int target, int a, int b) {
        digest.update(cells, a * CELL, CELL);
        digest.update(cells, b * CELL, CELL);
        digest.doFinal(cells, target * CELL);
    }

    private static void put(byte[] cells, int place, byte[] value) {
        System.arraycopy(value, 0, cells, place * CELL, CELL);
    }

    private static byte[] cell(byte[] cells, int place) {
        return Arrays.copyOfRange(cells, place * CELL, (place + 1) * CELL);
    }

    /** xorshift1024*, seeded with two hashes. */
    private static final class Sequence {
        private static final long FACTOR = 1_181_783_497_276_652_981L;

        private final long[] state = new long[16];
        private int at;

        Sequence(byte[] seed, Blake2bDigest digest) {
            byte[] second = new byte[CELL];
            digest.update(seed, 0, CELL);
            digest.doFinal(second, 0);
            for (int i = 0; i < 8; i++) {
                state[i] = word(seed, i);
                state[i + 8] = word(second, i);
            }
        }

        private static long word(byte[] bytes, int index) {
            long word = 0;
            for (int i = 7; i >= 0; i--) {
                word = word << 8 | (bytes[index * 8 + i] & 0xff);
            }
            return word;
        }

        long next() {
            long a = state[at];
            at = (at + 1) & 15;
            long b = state[at];
            b ^= b << 31;
            b ^= b >>> 11;
            a ^= a >>> 30;
            state[at] = a ^ b;
            return state[at] * FACTOR;
        }
    }
}
