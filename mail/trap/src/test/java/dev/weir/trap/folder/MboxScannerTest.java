package dev.weir.trap.folder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class MboxScannerTest {
    private static List<String> mails(String text, int most) throws IOException {
        MboxScanner scanner = new MboxScanner(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)),
                most);
        List<String> mails = new ArrayList<>();
        for (Optional<MboxScanner.Mail> mail = scanner.next(); mail.isPresent(); mail = scanner.next()) {
            mails.add(mail.get().bytes().map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                    .orElse("too large") + "@" + mail.get().end());
        }
        return mails;
    }

    @Test
    void separatesMailsAndUnquotesFrom() throws IOException {
        assertThat(mails("From a\nSubject: 1\n\n>From here\n>>From there\nFrom now on\n\nFrom b\nSubject: 2\n\n", 1000))
                .containsExactly("Subject: 1\n\nFrom here\n>From there\nFrom now on\n\n@56", "Subject: 2\n\n@75");
    }

    @Test
    void passesOverWhatIsTooLargeAndWhatIsNoMail() throws IOException {
        assertThat(mails("junk\nFrom a\n" + "x".repeat(200_000) + "\n\nFrom b\n1\n", 100))
                .containsExactly("too large@200014", "1\n@200023");
        assertThat(mails("", 100)).isEmpty();
        assertThat(mails("From a", 100)).containsExactly("@6");
    }
}
