package dev.weir.http.message;

import java.util.Locale;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any bytes are a request within its limits, or are refused with a status of HTTP. */
final class RequestFuzzTest {
    private static final HttpLimits LIMITS = new HttpLimits(4096, 32, 65_536);

    @FuzzTest
    void anyBytes(byte @NotNull [] bytes) {
        BodyBudget budget = new BodyBudget(1 << 20);
        try (BodyBudget.Share share = budget.share()) {
            HttpRequest request = Requests.read(bytes, LIMITS, share);
            assertThat(request.body().length).isLessThanOrEqualTo(Math.min(bytes.length, LIMITS.bodyBytes()));
            assertThat(request.headers().fields()).hasSizeLessThanOrEqualTo(LIMITS.headers())
                    .allSatisfy(field -> assertThat(field.name()).isEqualTo(field.name().toLowerCase(Locale.ROOT)));
            assertThat(request.head().arguments().fields()).hasSizeLessThanOrEqualTo(2 * LIMITS.headers());
        } catch (HttpException e) {
            assertThat(e.status()).isBetween(400, 599);
        }
        assertThat(budget.used()).isZero();
    }
}
