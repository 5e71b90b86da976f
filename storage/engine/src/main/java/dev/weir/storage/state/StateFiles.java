package dev.weir.storage.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.log.FolderDisk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state files of a data folder. A file is one line of ASCII, then the content:
 *
 * <pre>
 * weir-state NAME VERSION STORAGE LENGTH CHECKSUM
 * </pre>
 *
 * <p>STORAGE is the number of the storage, in 16 hexadecimal digits, and LENGTH the number of bytes of the content.
 * CHECKSUM, in 8 hexadecimal digits, is the CRC-32C of the line before it and of the content. A file replaces the one
 * before it at once or not at all; a small one that is often written can be {@link OverwrittenFile overwritten}.
 *
 * <p>A file that is damaged, or of another storage, goes to the folder {@value DataFolder#ASIDE}, or is deleted if it
 * has personal data; the log and {@link #troubles} say so, and readers see no file. So the absence of each file must
 * mean the safe choice.
 *
 * <p>Thread-safe for different files. Each file has one writer.
 */
public final class StateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StateFiles.class);
    private static final String MAGIC = "weir-state";
    private static final Pattern HEAD = Pattern
            .compile(MAGIC + " ([a-z][a-z-]{0,30}) ([0-9]{1,9}) ([0-9a-f]{16}) ([0-9]{1,9}) ([0-9a-f]{8})");

    private static final String NO_HEAD = "its first line is not that of a state file";
    private static final String WRONG_CHECKSUM = "its checksum is wrong";
    private static final String FOREIGN = "it belongs to another storage";

    /** The length of the first line is less than this number of bytes. */
    private static final int MAX_HEAD = 128;

    /** A read may collide with an overwrite; the next one succeeds. */
    private static final int TRIES = 10;
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Path folder;
    private final InstantSource clock;
    private final List<Trouble> troubles = new CopyOnWriteArrayList<>();

    /**
     * The state files of a folder.
     *
     * @param clock for the names of files that are kept aside
     */
    public StateFiles(Path folder, InstantSource clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /** Returns the files that were damaged or of another storage since this object was created. */
    public List<Trouble> troubles() {
        return List.copyOf(troubles);
    }

    /** Adds a file of another format that its owner found to be damaged. */
    public void report(Trouble trouble) {
        troubles.add(trouble);
    }

    /** Returns one file, for the part of a storage that writes it. */
    public StateFile file(StateFormat format, long storage) {
        return new StateFile(this, format, storage);
    }

    /** Returns the place of a file. */
    public Path place(StateFormat format) {
        return folder.resolve(format.name());
    }

    /**
     * Reads a file.
     *
     * @param storage the number of the storage; 0 accepts any, for a tool that does not know it
     * @return the content; empty if the file does not exist, or was damaged or of another storage and is kept aside now
     * @throws StorageException if it cannot be read, or a newer version of this program wrote it
     */
    public Optional<byte[]> read(StateFormat format, long storage) throws StorageException {
        return read(format, storage, this::setAside);
    }

    private Optional<byte[]> read(StateFormat format, long storage, Refusal refusal) throws StorageException {
        if (isTooLarge(format)) {
            return refusal.because(format, "it is larger than any that this program writes");
        }
        Optional<byte[]> bytes = bytes(format);
        return bytes.isEmpty() ? bytes : parse(format, storage, bytes.get(), refusal);
    }

    private boolean isTooLarge(StateFormat format) throws StorageException {
        try {
            return Files.size(place(format)) > (long) format.maxBytes() + MAX_HEAD;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw unreadable(format, e);
        }
    }

    private Optional<byte[]> bytes(StateFormat format) throws StorageException {
        try {
            return Optional.of(Files.readAllBytes(place(format)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw unreadable(format, e);
        }
    }

    private StorageException unreadable(StateFormat format, IOException e) {
        return new StorageException(place(format) + " cannot be read: " + Reason.of(e), e);
    }

    /** Returns the bytes of a file that does not begin as a state file, because an earlier version wrote it. */
    Optional<byte[]> readEarlier(StateFormat format) throws StorageException {
        return isTooLarge(format) ? Optional.empty() : bytes(format).filter(bytes -> !isMarked(bytes));
    }

    private static boolean isMarked(byte[] bytes) {
        return new String(bytes, 0, Math.min(bytes.length, MAX_HEAD), StandardCharsets.ISO_8859_1)
                .startsWith(MAGIC + " ");
    }

    /** Returns what follows the first line, whatever the checksum; empty for a sound file of another storage. */
    Optional<byte[]> salvage(StateFormat format, long storage) throws StorageException {
        if (isTooLarge(format) || (peek(format, storage).isEmpty() && peek(format, 0).isPresent())) {
            return Optional.empty();
        }
        return bytes(format).map(bytes -> {
            int at = 0;
            while (at < bytes.length && bytes[at] != '\n') {
                at++;
            }
            return Arrays.copyOfRange(bytes, Math.min(bytes.length, at + 1), bytes.length);
        });
    }

    /**
     * Gives files to the storage that takes the place of their own. A damaged one stays as it is, and its next reader
     * keeps it aside.
     *
     * @param storage the number of the other storage
     * @throws IOException if one cannot be read or written
     */
    public void handOver(List<String> names, long storage) throws IOException {
        for (String name : names) {
            Path file = folder.resolve(name);
            if (!Files.exists(file)) {
                continue;
            }
            byte[] bytes = Files.readAllBytes(file);
            Optional<Matcher> head = head(bytes);
            if (head.isPresent() && head.get().group(1).equals(name) && hasRightChecksum(head.get(), bytes)) {
                byte[] content = Arrays.copyOfRange(bytes, lineEnd(bytes) + 1, bytes.length);
                FolderDisk.replace(file, bytes(name, Integer.parseInt(head.get().group(2)), storage, content));
            }
        }
    }

    /**
     * Checks a file of any version, of a storage that may be running. Changes nothing.
     *
     * @param name the name of the file
     * @param earlier matches the beginning of what an earlier version wrote, before there were state files
     * @param storage the number of the storage
     * @return why the next start will not use it; empty if it will, or if there is none
     * @throws IOException if it cannot be read
     */
    public Optional<String> damage(String name, Pattern earlier, long storage) throws IOException {
        Optional<String> found = damageNow(name, earlier, storage);
        for (int i = 1; i < TRIES && found.isPresent(); i++) {
            found = damageNow(name, earlier, storage);
        }
        return found;
    }

    private Optional<String> damageNow(String name, Pattern earlier, long storage) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(folder.resolve(name));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Optional<Matcher> head = head(bytes);
        if (head.isEmpty()) {
            boolean known = earlier.matcher(new String(bytes, 0, Math.min(bytes.length, 4 * MAX_HEAD),
                    StandardCharsets.ISO_8859_1)).lookingAt();
            return known ? Optional.empty() : Optional.of(NO_HEAD);
        }
        if (!hasRightChecksum(head.get(), bytes)) {
            return Optional.of(WRONG_CHECKSUM);
        }
        if (!head.get().group(1).equals(name)) {
            return Optional.of("it is a file " + head.get().group(1));
        }
        return Long.parseUnsignedLong(head.get().group(3), 16) == storage ? Optional.empty() : Optional.of(FOREIGN);
    }

    /**
     * Reads a file of a storage that may be running. Changes nothing.
     *
     * @param storage the number of the storage; 0 accepts any
     * @return the content; empty if the file does not exist, is damaged, or is of another storage or version
     */
    public Optional<byte[]> peek(StateFormat format, long storage) throws StorageException {
        return read(format, storage, (file, why) -> {
            LOG.debug("{} is not used: {}", place(file), why);
            return Optional.empty();
        });
    }

    /** As {@link #peek}, for a file that its storage may overwrite meanwhile. */
    public Optional<byte[]> peekChanging(StateFormat format, long storage) throws StorageException {
        Optional<byte[]> content = peek(format, storage);
        for (int i = 1; i < TRIES && content.isEmpty() && Files.exists(place(format)); i++) {
            content = peek(format, storage);
        }
        return content;
    }

    /** What is done with a file that is not used. */
    @FunctionalInterface
    private interface Refusal {
        Optional<byte[]> because(StateFormat format, String why) throws StorageException;
    }

    private Optional<byte[]> parse(StateFormat format, long storage, byte[] bytes, Refusal refusal)
            throws StorageException {
        Optional<Matcher> first = head(bytes);
        if (first.isEmpty()) {
            return refusal.because(format, NO_HEAD);
        }
        Matcher head = first.get();
        if (!hasRightChecksum(head, bytes)) {
            return refusal.because(format, WRONG_CHECKSUM);
        }
        if (!head.group(1).equals(format.name())) {
            return refusal.because(format, "it is a file " + head.group(1));
        }
        int version = Integer.parseInt(head.group(2));
        if (version > format.version()) {
            throw new StorageException(place(format) + " has version " + version + ", and this program reads up to "
                    + format.version() + ": a newer Weir wrote it");
        }
        if (version < format.version()) {
            return refusal.because(format, "an older Weir wrote it (version " + version + ")");
        }
        long owner = Long.parseUnsignedLong(head.group(3), 16);
        if (storage != 0 && owner != storage) {
            return refusal.because(format, FOREIGN);
        }
        return Optional.of(Arrays.copyOfRange(bytes, lineEnd(bytes) + 1, bytes.length));
    }

    private static Optional<Matcher> head(byte[] bytes) {
        int end = lineEnd(bytes);
        Matcher head = HEAD.matcher(new String(bytes, 0, end, StandardCharsets.ISO_8859_1));
        return end < bytes.length && head.matches() ? Optional.of(head) : Optional.empty();
    }

    private static boolean hasRightChecksum(Matcher head, byte[] bytes) {
        int content = lineEnd(bytes) + 1;
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, head.start(5));
        checksum.update(bytes, content, bytes.length - content);
        return (int) checksum.getValue() == Integer.parseUnsignedInt(head.group(5), 16)
                && Integer.parseInt(head.group(4)) == bytes.length - content;
    }

    private static int lineEnd(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && end < MAX_HEAD && bytes[end] != '\n') {
            end++;
        }
        return end < bytes.length && bytes[end] == '\n' ? end : bytes.length;
    }

    /**
     * Keeps a file aside whose content an owner found to be wrong although its checksum is right.
     *
     * @param why ends the sentence "FILE is not used: "
     * @return empty
     * @throws StorageException if it cannot be moved; it would be believed later
     */
    public Optional<byte[]> setAside(StateFormat format, String why) throws StorageException {
        Path file = place(format);
        try {
            if (format.personal()) {
                delete(format);
                report(format, file + " is not used: " + why + "; it was deleted, because it has personal data");
                return Optional.empty();
            }
            Path aside = folder.resolve(DataFolder.ASIDE);
            OwnerOnly.createFolders(aside);
            Path kept = aside.resolve(format.name() + "." + STAMP.format(clock.instant()));
            for (int i = 2; Files.exists(kept); i++) {
                kept = aside.resolve(format.name() + "." + STAMP.format(clock.instant()) + "-" + i);
            }
            Files.move(file, kept, StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(aside);
            FolderSync.force(folder);
            report(format, file + " is not used: " + why + "; it is kept as " + kept);
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException(file + " is not used: " + why + ". It cannot be moved to "
                    + DataFolder.ASIDE + " (" + Reason.of(e, file) + ")", e);
        }
    }

    private void report(StateFormat format, String sentence) {
        LOG.error("{}", sentence);
        troubles.add(new Trouble("the file " + format.name() + " is damaged or of another storage", sentence
                + ". The storage goes on without it, and the next start no longer says so. Errors of the disk are in "
                + "the kernel log (dmesg)"));
    }

    /**
     * Replaces a file durably.
     *
     * @param storage the number of the storage
     * @param content at most as many bytes as the format allows
     * @throws IOException if it cannot be written; the old file is still there then
     */
    public void write(StateFormat format, long storage, byte[] content) throws IOException {
        FolderDisk.replace(place(format), bytes(format, storage, content));
    }

    /**
     * Replaces a file durably, like {@link #write}, and opens it.
     *
     * @param content as many bytes as the file will ever have
     */
    public OverwrittenFile writeOpen(StateFormat format, long storage, byte[] content) throws IOException {
        byte[] bytes = bytes(format, storage, content);
        FolderDisk.replace(place(format), bytes);
        return new OverwrittenFile(place(format), bytes, bytes.length - content.length);
    }

    private static byte[] bytes(StateFormat format, long storage, byte[] content) {
        if (content.length > format.maxBytes()) {
            throw new IllegalArgumentException(
                    format.name() + " has " + content.length + " bytes, at most " + format.maxBytes());
        }
        return bytes(format.name(), format.version(), storage, content);
    }

    private static byte[] bytes(String name, int version, long storage, byte[] content) {
        byte[] line = String.format(Locale.ROOT, "%s %s %d %016x %d ", MAGIC, name, version, storage, content.length)
                .getBytes(StandardCharsets.US_ASCII);
        CRC32C checksum = new CRC32C();
        checksum.update(line);
        checksum.update(content);
        byte[] end = String.format(Locale.ROOT, "%08x\n", (int) checksum.getValue())
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[line.length + end.length + content.length];
        System.arraycopy(line, 0, all, 0, line.length);
        System.arraycopy(end, 0, all, line.length, end.length);
        System.arraycopy(content, 0, all, line.length + end.length, content.length);
        return all;
    }

    /** Deletes a file durably, if it exists. */
    public void delete(StateFormat format) throws IOException {
        if (Files.deleteIfExists(place(format))) {
            FolderSync.force(folder);
        }
    }
}
