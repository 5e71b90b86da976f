package dev.weir.storage.redis;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** Any content of a position is read or refused. */
class SharedPositionFuzzTest {
    @FuzzTest
    void readsOrRefusesAnyFile(byte[] content) {
        check(content);
    }

    /** The first lines are sound, so that more of the rest is read. */
    @FuzzTest
    void readsOrRefusesAnyLines(byte[] content) {
        byte[] head = "node 0123456789abcdef 1\nplace \nruns \nheard 0\nshard ".getBytes(US_ASCII);
        byte[] whole = new byte[head.length + content.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(content, 0, whole, head.length, content.length);
        check(whole);
    }

    private static void check(byte[] content) {
        SharedPosition.parse(new String(content, ISO_8859_1)).ifPresent(read -> {
            SharedPosition again = SharedPosition.parse(read.text()).orElseThrow();
            assertThat(again.shards()).isEqualTo(read.shards());
            assertThat(again.node()).isEqualTo(read.node());
        });
    }
}
