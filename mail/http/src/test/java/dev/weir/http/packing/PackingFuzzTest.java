package dev.weir.http.packing;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;

import static org.assertj.core.api.Assertions.assertThat;

/** Any bytes unpack within the limit, or not at all. */
final class PackingFuzzTest {
    private static final int MOST = 1 << 20;

    @FuzzTest
    void anyBytes(byte @NotNull [] bytes) {
        BodyBudget budget = new BodyBudget(4L * MOST);
        try (BodyBudget.Share share = budget.share()) {
            Packing.ZSTD.unpack(bytes, MOST, share)
                    .ifPresent(plain -> assertThat(plain.length).isLessThanOrEqualTo(MOST));
        } catch (HttpException e) {
            assertThat(e.status()).isIn(413, 503);
        }
        assertThat(budget.used()).isZero();
    }
}
