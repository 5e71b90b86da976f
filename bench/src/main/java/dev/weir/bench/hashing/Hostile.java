package dev.weir.bench.hashing;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Mails of any size that are meant to be expensive. Each is one pattern over and over. */
public enum Hostile {
    /** Plain words. */
    WORDS("text/plain", "", "the quick brown fox jumps over the lazy dog 12345 "),
    /** A text of URLs, addresses and what nearly is one. */
    URLS("text/plain", "", "http://a.example/b?c=d x@example.com www.example.org tel:+1234 .com @ : http:// "),
    /** Text without any boundary of words. */
    ONE_WORD("text/plain", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    /** Chinese, whose words are looked up in a dictionary. */
    CHINESE("text/plain", "", "尊敬的客户您的账户已被暂停请点击以下链接验证您的信息"),
    /** Nested tags that nobody closes. */
    NESTED_TAGS("text/html", "", "<div><p><table><tr><td style=\"color:#fff;font:12px/14px a\">x"),
    /** Closing tags that nobody opened. */
    STRAY_CLOSINGS("text/html", "<a><b><i>", "</p></div></td></q>"),
    /** Quotes that nobody closes. */
    OPEN_QUOTES("text/html", "", "<a href=\"x' title='y\" >z "),
    /** Entities. */
    ENTITIES("text/html", "", "&amp;&&#x;&notit;&#99999999999;&"),
    /** A sheet of rules for classes that the tags below it have. */
    STYLES("text/html", "<style>", ".a,.b .c,#d{color:red;background:#fff}@media x{i{j:k}}"),
    /** Delimiters of multiparts that nobody declared. */
    DELIMITERS("multipart/mixed; boundary=b", "", "--b\nContent-Type: text/plain\n\nx\n--c\n--b--\n"),
    /** Multiparts inside of each other. */
    NESTED_PARTS("multipart/mixed; boundary=b", "", "--b\nContent-Type: multipart/mixed; boundary=b\n\n"),
    /** Mails inside of each other. */
    NESTED_MAILS("message/rfc822", "", "Content-Type: message/rfc822\n\n"),
    /** One header line without an end. */
    LONG_HEADER("text/plain; a=\"", "", "=?utf-8?Q?=41?= \"b\"; c=d");

    private final String type;
    private final String head;
    private final String pattern;

    Hostile(String type, String head, String pattern) {
        this.type = type;
        this.head = head;
        this.pattern = pattern;
    }

    /** The mail of about {@code size} bytes. */
    public byte[] mail(int size) {
        byte[] start = ("Subject: x\nMIME-Version: 1.0\nContent-Type: " + type
                + (this == LONG_HEADER ? "" : type.startsWith("text") ? "; charset=utf-8\n\n" : "\n\n") + head)
                .getBytes(StandardCharsets.UTF_8);
        byte[] unit = pattern.getBytes(StandardCharsets.UTF_8);
        byte[] mail = new byte[Math.max(size, start.length)];
        System.arraycopy(start, 0, mail, 0, start.length);
        for (int i = start.length; i < mail.length; i++) {
            mail[i] = unit[(i - start.length) % unit.length];
        }
        return mail;
    }

    /** The name in tables. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
