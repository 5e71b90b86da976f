package dev.weir.scan;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Collectors;

/** Sample mails for tests. */
final class TestMail {
    private TestMail() {}

    /** Returns a text of a hundred words that depends on the seed. */
    static byte[] text(long seed) {
        return bytes("Content-Type: text/plain\n\n" + words(seed) + "\n");
    }

    /** Returns a mail with a text and an attachment, which has two hashes. */
    static byte[] withAttachment(long seed) {
        return bytes("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
                + words(seed) + "\n--b\nContent-Type: application/octet-stream; name=a.bin\n"
                + "Content-Disposition: attachment; filename=a.bin\n\n" + words(seed + 1) + "\n--b--\n");
    }

    private static byte[] bytes(String mail) {
        return ("From: <a@sender.example>\nSubject: test\n" + mail).getBytes(StandardCharsets.UTF_8);
    }

    private static String words(long seed) {
        return new Random(seed).ints(100, 0, 100_000).mapToObj(i -> "w" + Integer.toString(i, 36) + "ord")
                .collect(Collectors.joining(" "));
    }
}
