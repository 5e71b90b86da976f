package dev.weir.scan.upstream;

import java.nio.charset.StandardCharsets;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test of server lists and service records. */
final class UpstreamListFuzzTest {
    @FuzzTest
    void list(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            UpstreamList list = UpstreamList.parse(List.of(text));
            assertThat(list.entries()).isNotEmpty().hasSizeLessThanOrEqualTo(UpstreamList.MAX_ENTRIES);
            for (UpstreamList.Entry entry : list.entries()) {
                assertThat(entry.weight()).isBetween(0, UpstreamList.MAX_WEIGHT);
                assertThat(UpstreamList.parse(List.of(entry.name())).entries().getFirst().name())
                        .isEqualTo(entry.name());
            }
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        SystemResolver.location(text).ifPresent(location -> assertThat(location.port()).isBetween(1, 65_535));
    }
}
