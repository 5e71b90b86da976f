package dev.weir.trap.folder;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.trap.campaign.CampaignStore;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapAddresses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

final class FolderReaderTest {
    @TempDir
    private Path scratch;

    /** The contents of the mails that were taken. */
    private final List<String> taken = new ArrayList<>();

    private TrapOutcome interrupted(String mail) {
        taken.add(mail.strip());
        Thread.currentThread().interrupt();
        return TrapOutcome.HELD;
    }

    /** Reads a folder again and again, and each time a stop comes while a mail is taken. */
    private void readToTheEnd(Read read) throws IOException {
        try (CampaignStore store = CampaignStore.open(scratch.resolve("trap.db"))) {
            FolderReader reader = new FolderReader(store, 1000,
                    mail -> interrupted(new String(mail.bytes(), StandardCharsets.ISO_8859_1)));
            for (int stop = 0; stop < 4; stop++) {
                Throwable end = catchThrowable(() -> read.with(reader));
                Thread.interrupted();
                if (end != null) {
                    assertThat(end).isInstanceOf(ClosedByInterruptException.class);
                }
            }
        }
    }

    private interface Read {
        void with(FolderReader reader) throws IOException, InterruptedException;
    }

    @Test
    void aStopWhileAMailOfAnMboxIsTakenDoesNotTakeItAgain() throws IOException {
        Path mbox = Files.writeString(scratch.resolve("mbox"), "From a\n1\n\nFrom b\n2\n\nFrom c\n3\n");
        readToTheEnd(reader -> reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE));
        assertThat(taken).containsExactly("1", "2", "3");
    }

    @Test
    void aStopWhileAMailOfAMaildirIsTakenDoesNotTakeItAgain() throws IOException {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur"));
        for (int mail = 1; mail <= 3; mail++) {
            Files.writeString(Files.createDirectories(maildir.resolve("new")).resolve(mail + ".host"), "" + mail);
        }
        readToTheEnd(reader -> reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE));
        assertThat(taken).containsExactly("1", "2", "3");
    }
}
