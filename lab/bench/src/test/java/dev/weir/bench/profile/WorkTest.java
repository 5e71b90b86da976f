package dev.weir.bench.profile;

import java.util.List;
import java.util.Map;

import dev.weir.bench.report.Table;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WorkTest {
    private static Work of(String... innermostFirst) {
        return Work.of(false, List.of(innermostFirst));
    }

    @Test
    void theInnermostClassOfWeirDecides() {
        assertThat(of("java.util.HashMap", "dev.weir.hash.html.css.StyleSheet", "dev.weir.hash.html.StyleResolver",
                "dev.weir.hash.MailHasher", "dev.weir.scan.Checking", "dev.weir.http.Server")).isEqualTo(Work.STYLES);
        assertThat(of("dev.weir.hash.html.StyleResolver", "dev.weir.hash.MailHasher")).isEqualTo(Work.STYLES);
        assertThat(of("dev.weir.hash.html.HtmlTokenizer")).isEqualTo(Work.HTML);
        assertThat(of("dev.weir.hash.MailHasher")).isEqualTo(Work.HASHING);
        assertThat(of("dev.weir.http.Server")).isEqualTo(Work.HTTP);
        assertThat(of("org.eclipse.jetty.http.HttpParser", "dev.weir.http.Server")).isEqualTo(Work.HTTP);
        assertThat(of("dev.weir.scan.client.Question", "dev.weir.http.Server")).isEqualTo(Work.ASKING);
        assertThat(of("java.lang.VirtualThread")).isEqualTo(Work.THREADS);
    }

    @Test
    void helpersCountForTheirCallersAndTheDetectorForItself() {
        assertThat(of("dev.weir.hash.bytes.ByteSearch", "dev.weir.hash.mime.encoding.LenientBase64"))
                .isEqualTo(Work.DECODING);
        assertThat(of("dev.weir.hash.text.WordForm", "dev.weir.hash.text.StopWords", "dev.weir.hash.text.TextAnalyzer"))
                .isEqualTo(Work.LANGUAGE);
        assertThat(of("dev.weir.hash.text.WordForm", "dev.weir.hash.text.TextAnalyzer")).isEqualTo(Work.WORDS);
    }

    @Test
    void systemCallsAreTheKernels() {
        List<String> send = List.of("sun.nio.ch.DatagramDispatcher", "dev.weir.scan.client.Question");
        assertThat(Work.of(true, send)).isEqualTo(Work.KERNEL);
        assertThat(Work.of(false, send)).isEqualTo(Work.ASKING);
        assertThat(Work.of(true, List.of("java.lang.System", "dev.weir.hash.html.HtmlNode"))).isEqualTo(Work.HTML);
    }

    @Test
    void sharesOfTheThreadsOfTheJvmComeFirst() {
        Table table = new Profile(Map.of(Work.HTML, 30L, Work.KERNEL, 10L), 0).table(0.1, 0.1);
        assertThat(table.toString()).containsPattern("tokenizer, tree and text of HTML +\\| +60.0 %")
                .containsPattern("kernel +\\| +20.0 %").containsPattern("JIT compilers +\\| +10.0 %");
    }
}
