package dev.weir.storage.access.gate;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.model.KeyedHash;
import dev.weir.storage.access.RateLimit;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that decoding never throws, and that decoded content survives a round trip. */
class LimitFileFuzzTest {
    @FuzzTest
    void decodesAnyTextWithoutError(byte[] data) {
        check(LimitFile.decode(new String(data, StandardCharsets.US_ASCII)));
    }

    /** A file of an earlier version. Adds a valid checksum, which the fuzzer cannot guess. */
    @FuzzTest
    void decodesAnyLinesWithoutError(byte[] data) {
        String text = "weir limits 1\n" + new String(data, StandardCharsets.US_ASCII).strip() + "\n";
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        check(LimitFile.decodeEarlier(
                text + "end " + (text.lines().count() - 1) + " " + Long.toHexString(crc.getValue()) + "\n"));
    }

    private static void check(Optional<LimitFile.Content> decoded) {
        decoded.ifPresent(content -> {
            assertThat(LimitFile.decode(LimitFile.encode(content))).contains(content);
            NetworkBuckets buckets = new NetworkBuckets(10, new KeyedHash(1, 2));
            content.networks().forEach(entry -> {
                buckets.restore(entry.bucket());
                buckets.add(entry.bucket().high(), entry.bucket().low(), new RateLimit(1, 1), 1_000, 1);
            });
            content.keys().values().forEach(state -> {
                Bucket bucket = new Bucket();
                bucket.restore(state);
                bucket.add(new RateLimit(1, 1), 1);
            });
        });
    }
}
