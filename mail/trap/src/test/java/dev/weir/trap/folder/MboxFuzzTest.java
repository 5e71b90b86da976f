package dev.weir.trap.folder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Optional;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any bytes are mails, each ends later than the one before, and a reader that resumes at an end finds the rest. */
final class MboxFuzzTest {
    private static final int MOST_BYTES = 1000;

    @FuzzTest
    void anyBytes(byte @NotNull [] bytes) throws IOException {
        MboxScanner scanner = new MboxScanner(new ByteArrayInputStream(bytes), MOST_BYTES);
        long end = 0;
        for (Optional<MboxScanner.Mail> mail = scanner.next(); mail.isPresent(); mail = scanner.next()) {
            assertThat(mail.get().end()).isGreaterThan(end).isLessThanOrEqualTo(bytes.length);
            mail.get().bytes().ifPresent(content -> assertThat(content.length).isLessThanOrEqualTo(MOST_BYTES));
            end = mail.get().end();
            MboxScanner resumed = new MboxScanner(new ByteArrayInputStream(bytes, (int) end,
                    bytes.length - (int) end), MOST_BYTES);
            Optional<MboxScanner.Mail> next = resumed.next();
            // An end is at the separator of the next mail, or at the end of the file.
            assertThat(next.isPresent()).isEqualTo(end < bytes.length);
        }
    }
}
