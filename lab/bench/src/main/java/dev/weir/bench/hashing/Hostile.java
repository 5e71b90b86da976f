package dev.weir.bench.hashing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Mails of any size that are meant to be expensive. Each consists of one repeated pattern, or of two in sequence.
 */
public enum Hostile {
    /** Plain words. */
    WORDS("text/plain", "", "the quick brown fox jumps over the lazy dog 12345 "),
    /** A text of URLs, addresses and near misses. */
    URLS("text/plain", "", "http://a.example/b?c=d x@example.com www.example.org tel:+1234 .com @ : http:// "),
    /** A text without word boundaries. */
    ONE_WORD("text/plain", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    /** Chinese, whose words are looked up in a dictionary. */
    CHINESE("text/plain", "", "尊敬的客户您的账户已被暂停请点击以下链接验证您的信息"),
    /** Nested tags that are never closed. */
    NESTED_TAGS("text/html", "", "<div><p><table><tr><td style=\"color:#fff;font:12px/14px a\">x"),
    /** Closing tags without an opening tag. */
    STRAY_CLOSINGS("text/html", "<a><b><i>", "</p></div></td></q>"),
    /** Closing tags of an open element that is no ancestor of the current one. */
    CLOSINGS_OF_OTHERS("text/html", "<p></ " + "<i>".repeat(8_000), "</p>"),
    /** Closing tags of an open element in a closed one. */
    CLOSINGS_IN_CLOSED("text/html", "<a><b></ ></a>" + "<i>".repeat(8_000), "</b>"),
    /** Closing tags that close the same closed elements again. */
    CLOSED_AGAIN("text/html", "<a>".repeat(4_000) + "<b>".repeat(4_000) + "</b>".repeat(4_000), "</ </b></ </a>"),
    /** Quotes that are never closed. */
    OPEN_QUOTES("text/html", "", "<a href=\"x' title='y\" >z "),
    /** Entities. */
    ENTITIES("text/html", "", "&amp;&&#x;&notit;&#99999999999;&"),
    /** A style sheet with rules for the classes of the tags after it. */
    STYLES("text/html", "<style>", ".a,.b .c,#d{color:red;background:#fff}@media x{i{j:k}}"),
    /** Delimiters of undeclared multiparts. */
    DELIMITERS("multipart/mixed; boundary=b", "", "--b\nContent-Type: text/plain\n\nx\n--c\n--b--\n"),
    /** Nested multiparts. */
    NESTED_PARTS("multipart/mixed; boundary=b", "", "--b\nContent-Type: multipart/mixed; boundary=b\n\n"),
    /** Nested mails. */
    NESTED_MAILS("message/rfc822", "", "Content-Type: message/rfc822\n\n"),
    /** A single endless header line. */
    LONG_HEADER("text/plain; a=\"", "", "=?utf-8?Q?=41?= \"b\"; c=d"),
    /** URLs on a line that ends like a tag, so that none of them counts. */
    URLS_IN_A_TAG("text/plain", "", "http://a.com/", "> ", ""),
    /** Endless host names. */
    ENDLESS_HOSTS("text/plain", "", "-ftp."),
    /** Nested links with invisible text in the innermost one. */
    NESTED_LINKS("text/html", "", "<a href=//a.com>", "<p style=\"color:#fff;background:#fff\">", "x"),
    /** Nested links that each show a host; the slowest find of {@link Hunt}. */
    SHOWN_LINKS("text/html", "", "<a href=//a.com></t>a.com"),
    /** Nested links with a label that resembles a list of hosts. */
    LONG_LABELS("text/html", "", "<a href=//a.com>", "", ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "),
    /** Links that are relative to a long base. */
    RELATIVE_LINKS("text/html", "<body><base href=http://a.com/", "b", ">", "<a href=/x>"),
    /** Encoded words with unknown charset names. */
    CHARSETS("text/plain; a=\"", "", "=?x?q?x?= a"),
    /** A text whose invalid constructs cause repeated rewrites until it is abandoned. */
    WRITTEN_AGAIN("text/html", "", "x", "", "<?>"),
    /** Unclosed style sheets, each of which contains all later ones; the mail is abandoned. */
    OPEN_SHEETS("text/html", "", "<style></x>");

    private final String type;
    private final String head;
    private final String pattern;
    /** The separator between the halves of a mail with two patterns. */
    private final String middle;
    /** The pattern of the second half; empty if it equals the first. */
    private final String second;

    Hostile(String type, String head, String pattern) {
        this(type, head, pattern, "", "");
    }

    Hostile(String type, String head, String pattern, String middle, String second) {
        this.type = type;
        this.head = head;
        this.pattern = pattern;
        this.middle = middle;
        this.second = second;
    }

    /** Returns the mail of {@code size} bytes. */
    public byte[] mail(int size) {
        byte[] start = ("Subject: x\nMIME-Version: 1.0\nContent-Type: " + type
                + (type.endsWith("\"") ? "" : type.startsWith("text") ? "; charset=utf-8\n\n" : "\n\n") + head)
                .getBytes(StandardCharsets.UTF_8);
        byte[] mail = new byte[Math.max(size, start.length)];
        System.arraycopy(start, 0, mail, 0, start.length);
        byte[] between = middle.getBytes(StandardCharsets.UTF_8);
        int half = second.isEmpty() ? mail.length - between.length : start.length + (mail.length - start.length) / 2;
        fill(mail, start.length, Math.max(start.length, half), pattern);
        int to = Math.min(mail.length - Math.max(half, start.length), between.length);
        System.arraycopy(between, 0, mail, Math.max(half, start.length), Math.max(0, to));
        fill(mail, Math.max(half, start.length) + Math.max(0, to), mail.length, second);
        return Arrays.copyOf(mail, size);
    }

    private static void fill(byte[] mail, int from, int to, String pattern) {
        byte[] unit = pattern.getBytes(StandardCharsets.UTF_8);
        for (int i = from; i < to; i++) {
            mail[i] = unit[(i - from) % unit.length];
        }
    }

    /** Returns the name in tables. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
