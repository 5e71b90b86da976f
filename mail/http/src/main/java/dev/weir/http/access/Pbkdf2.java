package dev.weir.http.access;

import java.util.Arrays;

import org.bouncycastle.crypto.digests.Blake2bDigest;

/**
 * PBKDF2 with keyed BLAKE2b in place of HMAC (docs/reference/rspamd-http.md#stored-passwords): 16,000 rounds and one
 * block of 64 bytes, of which the first 32 count. No library offers it with this function.
 */
final class Pbkdf2 {
    private static final int ROUNDS = 16_000;
    private static final int BLOCK = 64;
    private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

    private Pbkdf2() {}

    static byte[] key(byte[] password, byte[] salt) {
        Blake2bDigest function = new Blake2bDigest(password.length > BLOCK ? hash(password) : password);
        byte[] round = new byte[BLOCK];
        function.update(salt, 0, salt.length);
        function.update(FIRST_BLOCK, 0, FIRST_BLOCK.length);
        function.doFinal(round, 0);
        byte[] sum = round.clone();
        for (int i = 1; i < ROUNDS; i++) {
            function.update(round, 0, BLOCK);
            function.doFinal(round, 0);
            for (int j = 0; j < BLOCK; j++) {
                sum[j] ^= round[j];
            }
        }
        return Arrays.copyOf(sum, StoredPassword.KEY);
    }

    private static byte[] hash(byte[] bytes) {
        Blake2bDigest digest = new Blake2bDigest(BLOCK * 8);
        digest.update(bytes, 0, bytes.length);
        byte[] out = new byte[BLOCK];
        digest.doFinal(out, 0);
        return out;
    }
}
