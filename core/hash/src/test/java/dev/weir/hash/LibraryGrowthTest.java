package dev.weir.hash;

import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.stream.Stream;

import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no call into a library makes the time for a mail grow faster than the mail, and that the time limit fires
 * soon although such a call counts no steps: normalizer, word boundaries with dictionaries, names of hosts, stemmers,
 * converters of charsets, decoders.
 */
@Timeout(300)
class LibraryGrowthTest {
    private static final int SIZE = 8 << 10;
    /** More than the part of a text that is normalized at once. */
    private static final int LIMITED = 256 << 10;
    private static final int TIMES = 4;
    /** Between four and sixteen, the ratios of linear and of quadratic growth. */
    private static final double MOST = 9;
    private static final int RUNS = 2;
    private static final int ATTEMPTS = 5;
    /**
     * Time in which a mail must end, as a multiple of its limit. A text without a space in a script with a dictionary
     * is one call.
     */
    private static final int LATE = 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final HashRule RULE = HashRule.shipped().toBuilder().htmlShingles(true)
            .kinds(HashKind.beyondRspamd()).build();
    private static final MailHasher HASHER = MailHasher.standard();

    /**
     * One text that a library reads.
     *
     * @param before the beginning, with the header
     * @param pattern what is repeated
     * @param charset the charset of both
     */
    record Construct(String name, String before, String pattern, Charset charset, boolean base64) {
        byte[] mail(int size) {
            byte[] unit = pattern.getBytes(charset);
            ByteArrayOutputStream text = new ByteArrayOutputStream(size);
            while (text.size() < size) {
                text.writeBytes(unit);
            }
            byte[] body = base64 ? Base64.getMimeEncoder().encode(text.toByteArray()) : text.toByteArray();
            ByteArrayOutputStream mail = new ByteArrayOutputStream(body.length + before.length());
            mail.writeBytes(before.getBytes(StandardCharsets.UTF_8));
            mail.writeBytes(body);
            return mail.toByteArray();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Construct text(String name, String pattern) {
        return new Construct(name, "Subject: x\nContent-Type: text/plain; charset=utf-8\n\n", pattern,
                StandardCharsets.UTF_8, false);
    }

    private static Construct page(String name, String pattern) {
        return new Construct(name, "Subject: x\nContent-Type: text/html; charset=utf-8\n\n<p>", pattern,
                StandardCharsets.UTF_8, false);
    }

    private static Construct converted(String charset, String pattern) {
        return new Construct("charset " + charset, "Subject: x\nContent-Type: text/plain; charset=" + charset
                + "\n\n", pattern, StandardCharsets.ISO_8859_1, false);
    }

    static Stream<Construct> constructs() {
        String marks = "\u0345".repeat(500) + "\u0334".repeat(500);
        return Stream.of(
                text("marks of one class", "\u0301"),
                text("words of marks in the wrong order", "a" + marks + " "),
                page("words of marks in the wrong order, HTML", "a" + marks + " "),
                text("marks that decompose into marks", "\u0f73"),
                text("letters that decompose", "\u1ea5\u01d5"),
                text("ligatures that become long", "\ufdfa"),
                text("Hangul", "\uac01\u11a8"),
                text("Thai without a space", "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e"),
                text("Thai vowels", "\u0e34\u0e01\u0e33"),
                text("Khmer without a space", "\u1797\u17b6\u179f\u17b6"),
                text("Burmese without a space", "\u1019\u103c\u1014\u103a"),
                text("Lao without a space", "\u0e9e\u0eb2\u0eaa\u0eb2"),
                text("Han", "\u4e2d\u6587\u5b57"),
                text("Katakana", "\u30ab\u30bf\u30ca\u30fc"),
                text("Katakana, half width", "\uff76\uff9e"),
                text("flags", "\ud83c\udde9"),
                text("joined pictures", "\ud83d\udc69\u200d"),
                text("format characters", "\u200d\u00ad\u2060"),
                text("letters with joining punctuation", "\u0430\u2019\u0430."),
                text("Hebrew with quotes", "\u05d0\"\u05d0'"),
                text("directions", "\u202e\u05d0\u202c"),
                text("long words", "\u0430".repeat(1023) + " "),
                text("hosts with marks", "http://a" + "\u0345\u0334".repeat(40) + ".com/ "),
                text("hosts in other scripts", "http://\u0e01\u0e23\u0e38\u0e07.\u0430\u0431.com/ "),
                text("replacement characters", "\ufffda"),
                page("entities of marks", "&#x345;&#x334;"),
                page("links with marks", "<a href=\"http://b\u0301\u0345\u0334.com/\u0345\">x</a>"),
                new Construct("a subject of marks", "Content-Type: text/plain\nSubject: ",
                        "=?utf-8?q?=CD=85=CC=B4?= ", StandardCharsets.UTF_8, false),
                converted("iso-2022-jp", "\u001b$B0!\u001b(Ba"),
                converted("iso-2022-kr", "\u001b$)C\u000e!!\u000fa"),
                converted("iso-2022-cn", "\u001b$)A\u000e!!\u000fa"),
                converted("utf-7", "+AGE-a"),
                converted("hz-gb-2312", "~{0!~}a"),
                converted("gb18030", "\u00810\u00810"),
                converted("big5", "\u00a4@"),
                converted("euc-jp", "\u008f\u00b0\u00a1"),
                converted("shift_jis", "\u0082\u00a0"),
                converted("windows-1255", "\u00e0\u00c7\u00d1"),
                converted("utf-16", "\u00d8\u0000"),
                converted("no-such-charset", "\u00e9\u00fc\u00d8 "),
                converted("us-ascii", "\u001b$B\u001b"),
                new Construct("Base64", "Subject: x\nContent-Type: text/plain; charset=utf-8\n"
                        + "Content-Transfer-Encoding: base64\n\n", "\u0e01\u0345\u0334", StandardCharsets.UTF_8, true),
                new Construct("quoted-printable", "Subject: x\nContent-Type: text/plain; charset=utf-8\n"
                        + "Content-Transfer-Encoding: quoted-printable\n\n", "=CD=85=CC=B4=\n",
                        StandardCharsets.UTF_8, false),
                new Construct("an archive", "Subject: x\nContent-Type: application/zip\n"
                        + "Content-Transfer-Encoding: base64\n\n", "PK\u0001\u0002\u0000\u0000PK\u0003\u0004",
                        StandardCharsets.ISO_8859_1, true));
    }

    @ParameterizedTest
    @MethodSource("constructs")
    void timeGrowsLinearly(Construct construct) {
        byte[] small = construct.mail(SIZE);
        byte[] large = construct.mail(TIMES * SIZE);
        // Code that is not compiled yet makes the first, large one slower, so a small ratio is right at once.
        double ratio = (double) nanos(large, 1) / Math.max(1, nanos(small, 1));
        for (int attempt = 0; attempt < ATTEMPTS && ratio > MOST; attempt++) {
            nanos(large, 1);
            ratio = (double) nanos(large, RUNS) / Math.max(1, nanos(small, RUNS));
        }
        assertThat(ratio).as("time of four times %s", construct).isLessThanOrEqualTo(MOST);
    }

    @ParameterizedTest
    @MethodSource("constructs")
    void theLimitFiresSoon(Construct construct) {
        byte[] mail = construct.mail(LIMITED);
        Duration limit = Duration.ofMillis(20);
        MailHasher limited = HASHER.withLimit(limit);
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && least > LATE * limit.toNanos(); attempt++) {
            long start = THREADS.getCurrentThreadCpuTime();
            try {
                limited.hash(mail, RULE);
            } catch (NotHashedException expected) {
                // That it ends is what counts.
            }
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        assertThat(Duration.ofNanos(least)).isLessThan(limit.multipliedBy(LATE));
    }

    private static long nanos(byte[] mail, int runs) {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < runs; run++) {
            long start = THREADS.getCurrentThreadCpuTime();
            HASHER.hash(mail, RULE);
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        return least;
    }
}
