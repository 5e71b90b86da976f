package dev.weir.hash.mime;

import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.bytes.Utf8;

/** Fuzz test of the mail reader: for any bytes it terminates, keeps its limits, and throws nothing. */
final class MimeReaderFuzzTest {
    @FuzzTest(maxDuration = "10s")
    void reads(byte[] mail) {
        MimeMessage message = MimeReader.read(mail);
        int number = 0;
        for (MimePart part : message.parts()) {
            if (part.number() != number++ || part.digest().length != 64) {
                throw new AssertionError("part " + part);
            }
            if (part.kind() == PartKind.TEXT) {
                byte[] utf8 = part.utf8();
                // Text that is mostly UTF-8 stays unchanged, including its invalid bytes.
                if (utf8 != null && !Utf8.isValid(utf8) && !Arrays.equals(utf8, part.body())) {
                    throw new AssertionError("converted text is not UTF-8: " + part);
                }
            }
        }
    }
}
