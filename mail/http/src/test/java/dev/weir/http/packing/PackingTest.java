package dev.weir.http.packing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

final class PackingTest {
    private static final int MOST = 20 << 20;
    private final BodyBudget budget = new BodyBudget(64 << 20);

    private static HttpHeaders header(String name, String value) {
        return new HttpHeaders(List.of(new HttpHeaders.Field(name, value)));
    }

    private static byte[] streamed(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(out)) {
            zstd.write(plain);
        }
        return out.toByteArray();
    }

    @Test
    void headersNameTheCompression() {
        assertThat(Packing.of(HttpHeaders.NONE)).isEqualTo(Packing.NONE);
        assertThat(Packing.of(header("compression", "ZSTD"))).isEqualTo(Packing.ZSTD);
        assertThat(Packing.of(header("content-encoding", "zstd"))).isEqualTo(Packing.ZSTD);
        assertThat(Packing.of(header("content-encoding", "gzip"))).isEqualTo(Packing.UNKNOWN);
        assertThat(Packing.of(header("content-encoding", "identity"))).isEqualTo(Packing.NONE);
    }

    @Test
    void unpacksWhatItPacked() throws Exception {
        byte[] random = new byte[300_000];
        new Random(4).nextBytes(random);
        for (byte[] plain : List.of(new byte[0], "mail".getBytes(StandardCharsets.US_ASCII), random,
                new byte[15 << 20])) {
            for (byte[] packed : List.of(Packing.zstd(plain), streamed(plain))) {
                try (BodyBudget.Share share = budget.share()) {
                    assertThat(Packing.ZSTD.unpack(packed, MOST, share)).get()
                            .matches(out -> Arrays.equals(out, plain));
                }
            }
        }
        assertThat(budget.used()).isZero();
    }

    @Test
    void joinsSeveralFrames() throws Exception {
        byte[] one = Packing.zstd("one ".getBytes(StandardCharsets.US_ASCII));
        byte[] two = Packing.zstd("two".getBytes(StandardCharsets.US_ASCII));
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        assertThat(Packing.ZSTD.unpack(both, MOST, budget.share())).get().satisfies(
                out -> assertThat(out).asString().isEqualTo("one two"));
    }

    @Test
    void stopsBombsWithAndWithoutAStatedSize() throws Exception {
        byte[] huge = new byte[MOST + 1];
        for (byte[] bomb : List.of(Packing.zstd(huge), streamed(huge))) {
            assertThat(bomb.length).isLessThan(10_000);
            assertThatExceptionOfType(HttpException.class)
                    .isThrownBy(() -> Packing.ZSTD.unpack(bomb, MOST, budget.share()))
                    .satisfies(refused -> assertThat(refused.status()).isEqualTo(413));
        }
    }

    @Test
    void countsTheBudget() throws Exception {
        byte[] bomb = streamed(new byte[10 << 20]);
        assertThatExceptionOfType(HttpException.class)
                .isThrownBy(() -> Packing.ZSTD.unpack(bomb, MOST, new BodyBudget(1 << 20).share()))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(503));
    }

    @Test
    void rejectsDamagedBodies() throws Exception {
        byte[] packed = Packing.zstd("a mail that is a bit longer than nothing".getBytes(StandardCharsets.US_ASCII));
        assertThat(Packing.ZSTD.unpack(new byte[0], MOST, budget.share())).isEmpty();
        assertThat(Packing.ZSTD.unpack("From: plain".getBytes(StandardCharsets.US_ASCII), MOST, budget.share()))
                .isEmpty();
        assertThat(Packing.ZSTD.unpack(Arrays.copyOf(packed, packed.length - 3), MOST, budget.share())).isEmpty();
        assertThat(Packing.UNKNOWN.unpack(packed, MOST, budget.share())).isEmpty();
    }
}
