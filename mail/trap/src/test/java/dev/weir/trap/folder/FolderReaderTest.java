package dev.weir.trap.folder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.os.RegularFile;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignLossTest;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.TrapCounters;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapAddresses;
import dev.weir.trap.settings.TrapConfigs;
import dev.weir.trap.settings.TrapSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
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

    /** Learning the mails of a folder again would double the values of their hashes. */
    @Test
    void afterDamageTheMailsThatAreThereCountAsRead() throws Exception {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur"));
        Files.writeString(Files.createDirectories(maildir.resolve("new")).resolve("1.host"), "1");
        Path mbox = Files.writeString(scratch.resolve("mbox"), "From a\n11\n\n");
        Path file = scratch.resolve("trap.db");
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            read(store, maildir, mbox);
            assertThat(store.damage()).isEmpty();
        }
        assertThat(taken).containsExactly("1", "11");
        taken.clear();
        CampaignLossTest.damage(file);
        Files.writeString(maildir.resolve("new/2.host"), "2");
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.damage().orElseThrow()).contains("damaged", "kept-aside");
            read(store, maildir, mbox);
            assertThat(taken).isEmpty();
        }
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.damage()).isEmpty();
            Files.writeString(maildir.resolve("new/3.host"), "3");
            Files.writeString(mbox, "From b\n22\n\n", StandardOpenOption.APPEND);
            read(store, maildir, mbox);
        }
        assertThat(taken).containsExactly("3", "22");
        assertThat(scratch.resolve("kept-aside")).isNotEmptyDirectory();
    }

    private void read(CampaignDatabase store, Path maildir, Path mbox) throws Exception {
        FolderReader reader = new FolderReader(store, 1_000, new Notes());
        reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE);
        reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE);
    }

    /** A taker that notes the mails. */
    private final class Notes implements FolderReader.Taker {
        @Override
        public TrapOutcome take(TrapMail mail) {
            taken.add(new String(mail.bytes(), StandardCharsets.ISO_8859_1).strip());
            return TrapOutcome.HELD;
        }

        @Override
        public void tooLarge(TrapMail mail) {
            taken.add("too large");
        }
    }

    @Test
    void whatCannotBeReadInAMaildirDoesNotStopTheOthers() throws Exception {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur/1.folder"));
        Path inner = Files.createDirectories(maildir.resolve("new"));
        Path loop = Files.createSymbolicLink(inner.resolve("2.loop"), inner.resolve("2.loop"));
        Files.writeString(inner.resolve("3.host"), "3");
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
            FolderReader reader = new FolderReader(store, 1000, new Notes());
            assertThatThrownBy(() -> reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE))
                    .isInstanceOf(IOException.class).hasMessageContaining("1 of its mails, such as " + loop);
            assertThat(taken).containsExactly("3");
            Files.delete(loop);
            assertThat(reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE)).isZero();
        }
    }

    @Test
    @Timeout(30)
    void linksAndPipesInAMaildirAreRefusedAndTheOthersAreRead() throws Exception {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur"));
        Path inner = Files.createDirectories(maildir.resolve("new"));
        Path secret = Files.writeString(scratch.resolve("secret"), "secret");
        assertThat(new ProcessBuilder("mkfifo", inner.resolve("1.pipe").toString()).start().waitFor()).isZero();
        Files.createSymbolicLink(inner.resolve("2.link"), secret);
        Files.writeString(inner.resolve("3.host"), "3");
        Path mbox = Files.createSymbolicLink(scratch.resolve("mbox"),
                Files.writeString(scratch.resolve("real"), "From a\n1\n"));
        List<RegularFile.Refusal> refused = new ArrayList<>();
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
            FolderReader reader = new FolderReader(store, 1000, new FolderReader.Taker() {
                @Override
                public TrapOutcome take(TrapMail mail) {
                    taken.add(new String(mail.bytes(), StandardCharsets.ISO_8859_1).strip());
                    return TrapOutcome.HELD;
                }

                @Override
                public void refused(RegularFile.RefusedException why) {
                    refused.add(why.refusal());
                }
            });
            assertThatThrownBy(() -> reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE))
                    .hasMessageContaining("2 of its mails").hasMessageContaining("not a regular file, but a pipe");
            assertThat(taken).containsExactly("3");
            assertThat(refused).containsExactlyInAnyOrder(RegularFile.Refusal.LINK, RegularFile.Refusal.SPECIAL);
            assertThatThrownBy(() -> reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE))
                    .hasMessageContaining("it is a symbolic link");
            assertThat(refused).hasSize(3);
            assertThat(taken).containsExactly("3");
        }
    }

    @Test
    void aMailThatIsTooLargeIsNotedOnce() throws Exception {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur"));
        Files.writeString(Files.createDirectories(maildir.resolve("new")).resolve("1.host"), "x".repeat(1001));
        Path mbox = Files.writeString(scratch.resolve("mbox"), "From a\n" + "x".repeat(1001) + "\n\nFrom b\n2\n");
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
            FolderReader reader = new FolderReader(store, 1000, new Notes());
            for (int look = 0; look < 2; look++) {
                reader.maildir(maildir, Purpose.TRAP, TrapAddresses.NONE);
                reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE);
            }
        }
        assertThat(taken).containsExactly("too large", "too large", "2");
    }

    /** Another program delivers while a mail is learned; its mail comes with the next look. */
    @Test
    void anMboxIsNotLockedWhileItsMailsAreTaken() throws Exception {
        Path mbox = Files.writeString(scratch.resolve("mbox"), "From a\n1\n\n");
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"));
                FileChannel delivery = FileChannel.open(mbox, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            FolderReader reader = new FolderReader(store, 1000, mail -> {
                taken.add(new String(mail.bytes(), StandardCharsets.ISO_8859_1).strip());
                if (taken.size() == 1) {
                    deliver(delivery, "From b\n2\n\n");
                }
                return TrapOutcome.HELD;
            });
            assertThat(reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE)).isEqualTo(1);
            assertThat(reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE)).isEqualTo(1);
            try (FileLock lock = delivery.tryLock()) {
                assertThat(lock).isNotNull();
                assertThatThrownBy(() -> reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE))
                        .hasMessageContaining("named twice");
            }
        }
        assertThat(taken).containsExactly("1", "2");
    }

    /** Otherwise a mail could be learned that is a part of one and a part of another. */
    @Test
    void anMboxThatIsRewrittenMeanwhileIsReadAgain() throws Exception {
        Path mbox = Files.writeString(scratch.resolve("mbox"), "From a\n1\n\nFrom b\n2\n\nFrom c\n3\n\n");
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
            FolderReader reader = new FolderReader(store, 1000, mail -> {
                taken.add(new String(mail.bytes(), StandardCharsets.ISO_8859_1).strip());
                if (taken.size() == 1) {
                    try {
                        Files.writeString(mbox, "From b\n2\n\nFrom c\n3\n\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
                return TrapOutcome.HELD;
            });
            assertThat(reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE)).isEqualTo(1);
            assertThat(reader.mbox(mbox, Purpose.TRAP, TrapAddresses.NONE)).isEqualTo(2);
        }
        assertThat(taken).containsExactly("1", "2", "3");
    }

    private static void deliver(FileChannel mbox, String mail) {
        try (FileLock lock = mbox.tryLock()) {
            assertThat(lock).isNotNull();
            mbox.write(ByteBuffer.wrap(mail.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An executor cancels a periodic task that throws, and no one notices. */
    @Test
    void anErrorDoesNotEndTheWatch() throws Exception {
        Path maildir = scratch.resolve("maildir");
        Files.createDirectories(maildir.resolve("cur"));
        Files.writeString(Files.createDirectories(maildir.resolve("new")).resolve("1.host"), "1");
        TrapCounters counters = new TrapCounters();
        CountDownLatch second = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        TrapSettings settings = TrapConfigs.parse("maildir = [\"" + maildir + "\", \"" + scratch.resolve("none")
                + "\"];");
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"))) {
            FolderReader.Taker taker = _ -> {
                if (looks.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("expected by the test");
                }
                second.countDown();
                return TrapOutcome.HELD;
            };
            try (FolderWatch watch = new FolderWatch(new FolderReader(store, 1000, taker),
                    new ImapReader(store, 1000, taker), () -> settings, counters)) {
                watch.start(Duration.ofMillis(10));
                assertThat(second.await(1, TimeUnit.MINUTES)).isTrue();
            }
        }
        assertThat(counters.of(TrapCounters.Event.FOLDER_FAILURE)).isGreaterThanOrEqualTo(2);
    }

    /** A line for each look would hide all others within a day. */
    @Test
    void aFolderThatFailsIsToldOnceAndAgainWhenItWorks() throws Exception {
        Path maildir = scratch.resolve("late");
        TrapCounters counters = new TrapCounters();
        TrapSettings settings = TrapConfigs.parse("maildir = [\"" + maildir + "\"];");
        CountDownLatch taken = new CountDownLatch(1);
        FolderReader.Taker taker = _ -> {
            taken.countDown();
            return TrapOutcome.HELD;
        };
        Logger logger = (Logger) LoggerFactory.getLogger(FolderWatch.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try (CampaignDatabase store = CampaignDatabase.open(scratch.resolve("trap.db"));
                FolderWatch watch = new FolderWatch(new FolderReader(store, 1000, taker),
                        new ImapReader(store, 1000, taker), () -> settings, counters)) {
            watch.start(Duration.ofMillis(1));
            Awaitility.await().until(() -> counters.of(TrapCounters.Event.FOLDER_FAILURE) > 2);
            Path mail = Files.writeString(scratch.resolve("mail"), "1");
            Files.createDirectories(maildir.resolve("cur"));
            Files.move(mail, Files.createDirectories(maildir.resolve("new")).resolve("1.host"));
            assertThat(taken.await(1, TimeUnit.MINUTES)).isTrue();
            Awaitility.await().until(() -> lines.list.stream()
                    .anyMatch(line -> line.getFormattedMessage().equals(maildir + ": 1 mail read")));
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("cannot be read, each look tries again"))
                .doesNotHaveDuplicates().isNotEmpty();
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .containsOnlyOnce(maildir + " can be read again");
    }

    @Test
    void theReasonIsMoreThanANameOfAFile() {
        assertThat(FolderWatch.reason(new AccessDeniedException("/mail/new")))
                .isEqualTo("permission denied: /mail/new");
        assertThat(FolderWatch.reason(new NoSuchFileException("/mail/new")))
                .isEqualTo("there is no such file or folder: /mail/new");
        assertThat(FolderWatch.reason(new IOException("no answer"))).isEqualTo("no answer");
    }
}
