package dev.weir.hash;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.release.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests that the time for a mail grows linearly with its size, for mails that were once expensive. Each test compares
 * the CPU time of this thread for a mail and for one four times as large. Linear growth gives a ratio of four,
 * quadratic growth a ratio of sixteen.
 */
final class GrowthTest {
    private static final int SIZE = 48 << 10;
    private static final int TIMES = 4;
    /** Threshold between four and sixteen, closer to sixteen because small mails fit into caches. */
    private static final double MOST = 9;
    /** Number of runs, of which the fastest counts. A failing comparison is repeated. */
    private static final int RUNS = 2;
    private static final int ATTEMPTS = 6;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final HashRule RULE = HashRule.shipped().toBuilder().htmlShingles(true).build();
    /** Allows more stray closing tags. */
    private static final HashRule OLDER = RULE.toBuilder().like(Release.V3_4).build();
    private final MailHasher hasher = MailHasher.standard();

    private static byte[] mail(String type, String head, String pattern, String tail, int size) {
        StringBuilder text = new StringBuilder("Subject: x\nContent-Type: ").append(type).append("\n\n").append(head);
        while (text.length() + tail.length() < size) {
            text.append(pattern);
        }
        return text.append(tail).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Arguments plain(String name, String pattern, String tail) {
        return kind(name, size -> mail("text/plain; charset=utf-8", "", pattern, tail, size));
    }

    private static Arguments html(String name, String head, String pattern) {
        return kind(name, size -> mail("text/html; charset=utf-8", head, pattern, "", size));
    }

    /** @param head the beginning with up to so many elements; the larger mail has almost as many as are possible */
    private static Arguments nested(String name, IntFunction<String> head, String pattern) {
        return kind(name, size -> mail("text/html; charset=utf-8", head.apply(size / 25), pattern, "", size));
    }

    private static Arguments kind(String name, IntFunction<byte[]> mails) {
        return arguments(name, mails);
    }

    static Stream<Arguments> kinds() {
        String declared = "<style>.a{" + Stream.of("font-size", "height", "width", "max-height", "max-width", "color",
                "background", "opacity", "position", "left", "top", "text-indent", "clip", "clip-path", "overflow")
                .map(property -> property + ":" + "x ".repeat(250) + ";").reduce("", String::concat) + "}</style>";
        return Stream.of(plain("URLs in a line that ends like a tag", "http://a.com/", "> "),
                plain("hosts without an end", "-ftp.", ""),
                plain("hosts after text outside ASCII", "\u00e9www.", ""),
                plain("schemes without an address", "http:a ", ""),
                kind("links around text that becomes spaces", size -> mail("text/html; charset=utf-8", "",
                        "<a href=//a.com>", "<p style=\"color:#fff;background:#fff\">" + "x".repeat(size / 2) + "</p>",
                        size)),
                html("links with one long label", "<a href=//a.com>".repeat(1_000),
                        ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "),
                html("links that each display a host", "", "<a href=//a.com></t>a.com"),
                nested("closing tags of an element that is no ancestor", n -> "<p></ " + "<i>".repeat(n), "</p>"),
                nested("closing tags of an element in a closed one", n -> "<a><b></ ></a>" + "<i>".repeat(n), "</b>"),
                nested("closing tags of closed elements", n -> "<b>".repeat(n) + "</b>".repeat(n), "</ </b>"),
                nested("closing tags that each close many elements again",
                        n -> "<a>".repeat(n / 2) + "<b>".repeat(n / 2) + "</b>".repeat(n / 2), "</ </a>"),
                kind("links relative to a long base", size -> mail("text/html; charset=utf-8",
                        "<body><base href=\"http://a.com/" + "b".repeat(size / 4) + "\">", "<a href=/x>", "", size)),
                kind("many classes without a meaning", size -> mail("text/html; charset=utf-8", declared,
                        "<b class=\"" + "a ".repeat(50) + "\">", "", size)),
                kind("a subject with unknown charsets", size -> {
                    StringBuilder text = new StringBuilder("Subject: ");
                    // No two mails share a name.
                    for (int i = size; text.length() < size; i++) {
                        text.append("=?x").append(i).append("?q?x?= a");
                    }
                    return text.append("\n\nx").toString().getBytes(StandardCharsets.US_ASCII);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void timeGrowsLinearlyWithTheSize(String name, IntFunction<byte[]> mails) {
        byte[] small = mails.apply(SIZE);
        byte[] large = mails.apply(TIMES * SIZE);
        for (HashRule rule : List.of(RULE, OLDER)) {
            // Both are warmed up, and the cache holds the names of the large one.
            nanos(large, rule);
            assertThat(ratio(() -> nanos(large, rule), () -> nanos(small, rule)))
                    .as("time of four times %s like %s", name, rule.like()).isLessThanOrEqualTo(MOST);
        }
    }

    /** Only the beginning of a part is examined, so that the time of one part does not grow. */
    @Test
    void almostATableCostsNoMoreThanAnyText() {
        byte[] text = parts("a,b\n" + "a ".repeat(2_500));
        byte[] almostTable = parts("a,b\n" + "a-".repeat(2_500));
        nanos(text, RULE);
        assertThat(ratio(() -> nanos(almostTable, RULE), () -> nanos(text, RULE))).isLessThanOrEqualTo(MOST);
    }

    @Test
    void timeForHiddenTextsGrowsLinearly() {
        HtmlDocument small = hidden(SIZE);
        HtmlDocument large = hidden(TIMES * SIZE);
        nanos(large::hiddenTexts);
        assertThat(ratio(() -> nanos(large::hiddenTexts), () -> nanos(small::hiddenTexts))).isLessThanOrEqualTo(MOST);
    }

    /** Returns the ratio of two times. On a busy machine one measurement says little. */
    private static double ratio(LongSupplier larger, LongSupplier smaller) {
        double ratio = Double.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && ratio > MOST; attempt++) {
            ratio = (double) larger.getAsLong() / Math.max(1, smaller.getAsLong());
        }
        return ratio;
    }

    private static HtmlDocument hidden(int size) {
        String nested = "<div style=\"font-size:0\">".repeat(size / 50);
        return HtmlDocument.parse((nested + "x</q>".repeat(size / 50)).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] parts(String text) {
        return ("Content-Type: multipart/mixed; boundary=b\n\n" + ("--b\nX: y\n\n" + text + "\n").repeat(20))
                .getBytes(StandardCharsets.US_ASCII);
    }

    private long nanos(byte[] mail, HashRule rule) {
        return nanos(() -> hasher.hash(mail, rule));
    }

    private static long nanos(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            long start = THREADS.getCurrentThreadCpuTime();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        return least;
    }
}
