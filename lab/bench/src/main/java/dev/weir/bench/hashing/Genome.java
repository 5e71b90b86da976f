package dev.weir.bench.hashing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A recipe for a mail of any size: a head and a few stretches, each a repeated pattern. Patterns consist of pieces with
 * a meaning to a mail parser and of arbitrary bytes.
 *
 * @param head      the mail up to the body
 * @param stretches the patterns, in order; their stretches have equal lengths
 */
record Genome(String head, List<String> stretches) {
    private static final int MOST_STRETCHES = 4;
    private static final int MOST_PIECES = 6;
    private static final int LONGEST_PATTERN = 2_000;

    private static final List<String> HEADS = List.of("Subject: x\nContent-Type: text/plain; charset=utf-8\n\n",
            "Subject: x\nContent-Type: text/html; charset=utf-8\n\n", "Content-Type: text/plain; charset=x\n\n",
            "Content-Type: multipart/mixed; boundary=b\n\n", "Content-Type: message/rfc822\n\n", "Subject: ",
            "Content-Type: multipart/mixed; boundary=b\nSubject: ", "Content-Type: text/plain; x=",
            "Content-Disposition: attachment; filename=", "");

    private static final List<String> PIECES = List.of(" ", "\n", "\n\n", "a", "the ", "word. ", "12345",
            "aaaaaaaaaaaa",
            "http://", "https:", "a.com", "/", "?", "#", ">", "<", "(", ")", "'", "\"", "@", ":", ".", "www.", "ftp.",
            "mailto:", "tel:+1", "x@a.com", "http://a.com/", "[::1]", "%41", "user:pw@", "xn--a.com", "\u00e9",
            "\u4f60",
            "\u0e01\u0e02", "\u0301", "\u200b", "\u0434\u0430 ", "\ud83d\ude00", "\u3042", "\u1780", "<a href=//a.com>",
            "<a href=/x>", "</a>", "<b>", "</b>", "<p>", "<div style=\"color:#fff;background:#fff\">", "<p hidden>",
            "</p>", "</ ",
            "<table><tr><td>", "</td>", "<br>", "<img alt=\"x y\">", "<style>", "</style>", "</x>", "<style>a{", "{",
            "}",
            ";", "color:red", ".a,", "#b ", "rgb(", "/*", "*/", "<b class=\"a b\" id=c>", "<base href=http://a.com/",
            "<!--", "-->", "<!->", "<?", "?>", "<?>", "<![", "<script>", "</script>", "<html>", "</html>", "<head>",
            "</head>", "<body>", "<title>", "<form action=/x>", "&amp;", "&#65;", "&nbsp;", "&a", "&", "--b\n",
            "--b--\n",
            "--c\n", "Content-Type: text/html\n\n", "Content-Type: message/rfc822\n\n",
            "Content-Type: multipart/mixed; boundary=b\n\n", "Content-Transfer-Encoding: base64\n\n", "begin 644 x\n",
            "=?utf-8?Q?=41?= ", "=?", "?=", "=41", "=\n", "Subject: x\n", "a,b,c\n", "PK\u0003\u0004", "%PDF-1.4",
            "GIF89a",
            "{\"a\":1}", "\t", "\r\n", "de la le ", "und der die ", "-", "_", "\\");

    Genome {
        stretches = List.copyOf(stretches);
    }

    static Genome random(Random random) {
        List<String> stretches = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(MOST_STRETCHES); i++) {
            stretches.add(pattern(random));
        }
        return new Genome(pick(HEADS, random), stretches);
    }

    private static String pattern(Random random) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i <= random.nextInt(MOST_PIECES); i++) {
            pattern.append(pick(PIECES, random));
        }
        return pattern.toString();
    }

    private static <T> T pick(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** Returns the mail with about this many bytes. */
    byte[] mail(int size) {
        StringBuilder mail = new StringBuilder(head);
        int bytes = head.length();
        for (int i = 0; i < stretches.size(); i++) {
            String pattern = stretches.get(i);
            int length = pattern.getBytes(StandardCharsets.UTF_8).length;
            int times = Math.max(1, (size - head.length()) / stretches.size() / length);
            mail.repeat(pattern, times);
            bytes += times * length;
        }
        byte[] all = mail.toString().getBytes(StandardCharsets.UTF_8);
        return bytes <= size ? all : java.util.Arrays.copyOf(all, Math.max(size, head.length()));
    }

    /** Returns a variant of this recipe, changed at one place or with a stretch of {@code other}. */
    Genome child(Genome other, Random random) {
        List<String> changed = new ArrayList<>(stretches);
        int at = random.nextInt(changed.size());
        String pattern = changed.get(at);
        switch (random.nextInt(8)) {
            case 0 -> {
                return new Genome(pick(HEADS, random), changed);
            }
            case 1 -> changed.set(at, pick(other.stretches, random));
            case 2 -> {
                if (changed.size() < MOST_STRETCHES) {
                    changed.add(random.nextInt(changed.size() + 1),
                            random.nextBoolean() ? pattern(random) : pick(other.stretches, random));
                }
            }
            case 3 -> {
                if (changed.size() > 1) {
                    changed.remove(at);
                }
            }
            case 4 -> {
                int from = random.nextInt(pattern.length());
                int to = from + 1 + random.nextInt(pattern.length() - from);
                if (to - from < pattern.length()) {
                    changed.set(at, pattern.substring(0, from) + pattern.substring(to));
                }
            }
            case 5 -> {
                int place = random.nextInt(pattern.length() + 1);
                changed.set(at, pattern.substring(0, place) + (char) (1 + random.nextInt(0x7e))
                        + pattern.substring(place));
            }
            case 6 -> {
                if (pattern.length() < LONGEST_PATTERN) {
                    changed.set(at, pattern.repeat(1 + random.nextInt(4)));
                }
            }
            default -> {
                int place = random.nextInt(pattern.length() + 1);
                changed.set(at, pattern.substring(0, place) + pick(PIECES, random) + pattern.substring(place));
            }
        }
        return new Genome(head, changed);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String part : stretches) {
            text.append(text.isEmpty() ? "" : " then ").append(shown(part));
        }
        return shown(head) + " and " + text;
    }

    private static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        text.chars().forEach(c -> {
            if (c == '\n') {
                shown.append("\\n");
            } else if (c < ' ' || c > '~') {
                shown.append(String.format(java.util.Locale.ROOT, "\\u%04x", c));
            } else {
                shown.append((char) c);
            }
        });
        return shown.toString();
    }
}
