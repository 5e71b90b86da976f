package dev.weir.trap.folder;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.os.RegularFile;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignDatabaseException;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapAddresses;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reader of Maildir folders and mbox files that resumes where it stopped, also after a restart. For one thread. */
public final class FolderReader {
    /** The number of bytes before the place that tell whether the file is still the same. */
    private static final int MARK = 4096;
    private static final Logger LOG = LoggerFactory.getLogger(FolderReader.class);

    private final CampaignDatabase store;
    private final Taker taker;
    private final int mostBytes;

    /** What takes the mails. */
    @FunctionalInterface
    public interface Taker {
        /** Takes a mail. An outcome that is temporary stops the reader before it. */
        TrapOutcome take(TrapMail mail) throws InterruptedException;

        /** Notes a mail that is too large to be taken. It has at most the beginning of the bytes. */
        default void tooLarge(TrapMail mail) {}

        /** Notes a file of a Maildir that is not opened because of what it is. */
        default void refused(RegularFile.RefusedException why) {}
    }

    /**
     * Creates a reader.
     *
     * @param mostBytes the largest mail that is taken; others are passed over
     */
    public FolderReader(CampaignDatabase store, int mostBytes, Taker taker) {
        this.store = store;
        this.mostBytes = mostBytes;
        this.taker = taker;
    }

    /**
     * Takes the mails of a Maildir that have not been read yet.
     *
     * @param traps the addresses by which a mail names its trap; the folder is the trap of the others
     * @return the number of mails
     * @throws IOException if the folder or some of the mails cannot be read; the others have been taken then
     */
    public int maildir(Path maildir, Purpose purpose, TrapAddresses traps) throws IOException, InterruptedException {
        String folder = maildir.toAbsolutePath().normalize().toString();
        List<Path> mails = new ArrayList<>();
        for (String inner : List.of("new", "cur")) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(maildir.resolve(inner))) {
                files.forEach(mails::add);
            }
        }
        Collections.sort(mails);
        if (store.isUnknown(folder, Instant.now())) {
            for (Path mail : mails) {
                store.read(folder, uniqueName(mail));
            }
            passedOver(folder);
            return 0;
        }
        Set<String> present = new HashSet<>();
        int taken = 0;
        int unreadable = 0;
        Optional<IOException> why = Optional.empty();
        for (Path mail : mails) {
            String name = uniqueName(mail);
            present.add(name);
            if (!name.startsWith(".") && !store.wasRead(folder, name)) {
                Optional<byte[]> bytes;
                try {
                    bytes = content(mail);
                } catch (ClosedByInterruptException e) {
                    throw e;
                } catch (RegularFile.RefusedException e) {
                    taker.refused(e);
                    unreadable++;
                    why = why.or(() -> Optional.of(e));
                    continue;
                } catch (IOException e) {
                    // It may be readable the next time.
                    unreadable++;
                    why = why.or(() -> Optional.of(e));
                    continue;
                }
                if (bytes.isEmpty()) {
                    continue;
                }
                TrapMail content = mail(purpose, bytes.get(), folder, traps);
                if (bytes.get().length > mostBytes) {
                    taker.tooLarge(content);
                } else if (taker.take(content).isTemporary()) {
                    return taken;
                }
                store.read(folder, name);
                taken++;
            }
        }
        store.keepRead(folder, present);
        if (why.isPresent()) {
            throw new IOException(unreadable + " of its mails, such as " + why.get().getMessage() + " ("
                    + FolderWatch.cause(why.get()) + ")", why.get());
        }
        return taken;
    }

    private void passedOver(String folder) throws CampaignDatabaseException {
        store.found(folder);
        LOG.warn("the mails that are in {} now count as read, because the file of campaigns was damaged", folder);
    }

    /** Returns the part of the name that stays when flags change. */
    private static String uniqueName(Path mail) {
        String name = String.valueOf(mail.getFileName());
        int flags = name.indexOf(':');
        return flags < 0 ? name : name.substring(0, flags);
    }

    /** Returns the content; empty if it is a folder, or if its owner has moved or deleted it since the listing. */
    private Optional<byte[]> content(Path mail) throws IOException {
        if (Files.isDirectory(mail, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (InputStream in = Channels.newInputStream(RegularFile.openListed(mail))) {
            return Optional.of(in.readNBytes(mostBytes + 1));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns a mail of a folder. If it names a trap, that one has received it, otherwise the folder. */
    static TrapMail mail(Purpose purpose, byte[] mail, String folder, TrapAddresses traps) {
        MailHeaders headers = MailHeaders.of(mail);
        String trap = headers.first("Delivered-To").or(() -> headers.first("X-Original-To"))
                .flatMap(traps::trap).orElse(folder);
        return new TrapMail(TrapMail.Way.FOLDER, purpose, mail, trap, Optional.empty(), Optional.empty(), List.of());
    }

    /**
     * Takes the mails of an mbox file that have not been read yet. A file that another program has locked is left for
     * the next time. A file that no longer has its old beginning is read from the start.
     *
     * @return the number of mails
     */
    public int mbox(Path file, Purpose purpose, TrapAddresses traps) throws IOException, InterruptedException {
        String folder = file.toAbsolutePath().normalize().toString();
        int taken = 0;
        try (FileChannel channel = open(file)) {
            // Whole mails end here. The lock is held for this moment only, because it keeps others from delivering, and
            // learning takes its time.
            long end = size(channel);
            long start = start(channel, folder);
            boolean locked = end == 0 && channel.size() > 0;
            if (!locked && store.isUnknown(folder, Instant.now())) {
                store.place(folder, place(channel, end));
                passedOver(folder);
                return 0;
            }
            if (start >= end) {
                return 0;
            }
            Content content = Content.of(channel, start, end);
            channel.position(start);
            MboxScanner scanner = new MboxScanner(
                    new Beginning(new BufferedInputStream(Channels.newInputStream(channel)), end - start), mostBytes);
            for (Optional<MboxScanner.Mail> mail = scanner.next(); mail.isPresent(); mail = scanner.next()) {
                Optional<byte[]> bytes = mail.get().bytes();
                // Before the mail is taken: a stop may interrupt the thread, and then the file cannot be read any more.
                CampaignDatabase.Place next = place(channel, start + mail.get().end());
                if (!content.equals(Content.of(channel, start, end))) {
                    // Another program removes mails: what was read may be a part of one and a part of another.
                    return taken;
                }
                if (bytes.isEmpty()) {
                    taker.tooLarge(mail(purpose, new byte[0], folder, traps));
                } else if (taker.take(mail(purpose, bytes.get(), folder, traps)).isTemporary()) {
                    return taken;
                }
                store.place(folder, next);
                taken++;
            }
        }
        return taken;
    }

    private FileChannel open(Path file) throws IOException {
        try {
            return RegularFile.open(file);
        } catch (RegularFile.RefusedException e) {
            taker.refused(e);
            throw e;
        }
    }

    /** What tells that a part of an mbox file is still the same: the first bytes, those before it, its last ones. */
    private record Content(Digest first, Digest before, Digest last) {
        /** Reads it; a file that got shorter has other last bytes. */
        static Content of(FileChannel channel, long start, long end) throws IOException {
            return new Content(mark(channel, Math.min(MARK, end)), mark(channel, start), mark(channel, end));
        }
    }

    /** Returns the size while no other program writes; 0 if another one has locked the file. */
    private static long size(FileChannel channel) throws IOException {
        try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null ? 0 : channel.size();
        } catch (OverlappingFileLockException e) {
            throw new IOException("the file is named twice", e);
        }
    }

    /** The first bytes of a stream. */
    private static final class Beginning extends FilterInputStream {
        private long left;

        Beginning(InputStream in, long length) {
            super(in);
            left = length;
        }

        @Override
        public int read() throws IOException {
            left--;
            return left < 0 ? -1 : super.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = left <= 0 ? -1 : super.read(bytes, offset, (int) Math.min(length, left));
            left -= Math.max(read, 0);
            return read;
        }
    }

    private long start(FileChannel channel, String folder) throws IOException {
        Optional<CampaignDatabase.Place> place = store.place(folder);
        return place.isPresent() && place.get().offset() <= channel.size()
                && mark(channel, place.get().offset()).equals(place.get().mark())
                        ? place.get().offset()
                        : 0;
    }

    private static CampaignDatabase.Place place(FileChannel channel, long offset) throws IOException {
        return new CampaignDatabase.Place(offset, mark(channel, offset));
    }

    private static Digest mark(FileChannel channel, long offset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(MARK, offset));
        // A read may stop early.
        int read = 0;
        while (bytes.hasRemaining() && read >= 0) {
            read = channel.read(bytes, offset - bytes.capacity() + bytes.position());
        }
        try {
            return Digest.of(MessageDigest.getInstance("SHA-512").digest(bytes.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Java has SHA-512", e);
        }
    }
}
