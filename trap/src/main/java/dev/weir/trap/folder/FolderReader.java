package dev.weir.trap.folder;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.trap.campaign.CampaignStore;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapAddresses;

/** A reader of Maildir folders and mbox files that resumes where it stopped, also after a restart. For one thread. */
public final class FolderReader {
    /** The number of bytes before the place that tell whether the file is still the same. */
    private static final int MARK = 4096;

    private final CampaignStore store;
    private final Taker taker;
    private final int mostBytes;

    /** What takes the mails. */
    @FunctionalInterface
    public interface Taker {
        /** Takes a mail. An outcome that is temporary stops the reader before it. */
        TrapOutcome take(TrapMail mail) throws InterruptedException;
    }

    /**
     * Creates a reader.
     *
     * @param mostBytes the largest mail that is taken; others are passed over
     */
    public FolderReader(CampaignStore store, int mostBytes, Taker taker) {
        this.store = store;
        this.mostBytes = mostBytes;
        this.taker = taker;
    }

    /**
     * Takes the mails of a Maildir that have not been read yet.
     *
     * @param traps the addresses by which a mail names its trap; the folder is the trap of the others
     * @return the number of mails
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
        Set<String> present = new HashSet<>();
        int taken = 0;
        for (Path mail : mails) {
            String name = uniqueName(mail);
            present.add(name);
            if (!name.startsWith(".") && !store.wasRead(folder, name)) {
                Optional<byte[]> bytes = content(mail);
                if (bytes.isEmpty()) {
                    // The owner has moved or deleted it since the listing.
                    continue;
                }
                if (bytes.get().length <= mostBytes
                        && taker.take(mail(purpose, bytes.get(), folder, traps)).isTemporary()) {
                    return taken;
                }
                store.read(folder, name);
                taken++;
            }
        }
        store.keepRead(folder, present);
        return taken;
    }

    /** Returns the part of the name that stays when flags change. */
    private static String uniqueName(Path mail) {
        String name = String.valueOf(mail.getFileName());
        int flags = name.indexOf(':');
        return flags < 0 ? name : name.substring(0, flags);
    }

    private Optional<byte[]> content(Path mail) throws IOException {
        try (InputStream in = Files.newInputStream(mail)) {
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
        return new TrapMail(purpose, mail, trap, Optional.empty(), Optional.empty(), List.of());
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
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                FileLock lock = lock(channel)) {
            if (lock == null) {
                return 0;
            }
            long start = start(channel, folder);
            if (start >= channel.size()) {
                return 0;
            }
            channel.position(start);
            MboxScanner scanner = new MboxScanner(new BufferedInputStream(Channels.newInputStream(channel)),
                    mostBytes);
            for (Optional<MboxScanner.Mail> mail = scanner.next(); mail.isPresent(); mail = scanner.next()) {
                Optional<byte[]> bytes = mail.get().bytes();
                // Before the mail is taken: a stop may interrupt the thread, and then the file cannot be read any more.
                CampaignStore.Place end = place(channel, start + mail.get().end());
                if (bytes.isPresent() && taker.take(mail(purpose, bytes.get(), folder, traps)).isTemporary()) {
                    return taken;
                }
                store.place(folder, end);
                taken++;
            }
        }
        return taken;
    }

    private static FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock(0, Long.MAX_VALUE, true);
        } catch (OverlappingFileLockException e) {
            throw new IOException("the file is named twice", e);
        }
    }

    private long start(FileChannel channel, String folder) throws IOException {
        Optional<CampaignStore.Place> place = store.place(folder);
        return place.isPresent() && place.get().offset() <= channel.size()
                && mark(channel, place.get().offset()).equals(place.get().mark())
                        ? place.get().offset()
                        : 0;
    }

    private static CampaignStore.Place place(FileChannel channel, long offset) throws IOException {
        return new CampaignStore.Place(offset, mark(channel, offset));
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
