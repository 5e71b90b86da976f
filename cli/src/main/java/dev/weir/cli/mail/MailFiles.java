package dev.weir.cli.mail;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.cli.terminal.Reports;
import dev.weir.os.RegularFile;
import dev.weir.trap.folder.MboxScanner;

/**
 * The mails that a command line names: files, folders with everything below them except hidden entries, and {@code -}
 * for standard input. On request, a mailbox file is its mails.
 *
 * <p>It reads each file only on request, so a large folder costs no more memory than its list of names.
 */
public final class MailFiles {
    /** Name of standard input in reports. */
    static final String STANDARD_INPUT = "-";

    /** Rspamd does not read larger mails (docs/reference/hashing.md#raw-input). */
    private static final int MAX_MAIL_BYTES = 50 << 20;

    /** How a mailbox file begins, and each mail in it. */
    private static final String FROM = "From ";

    /** Length of the prefix that decides whether a file without a header is text. */
    private static final int SNIFFED_BYTES = 4096;

    private final List<Path> files = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final InputStream standardInput;
    private final boolean mailboxes;
    /** The mails of mailbox files, by the names that they have in reports. */
    private final Map<Path, Part> parts = new HashMap<>();
    /** The files that folders contain. */
    private final Set<Path> found = new HashSet<>();
    private boolean folderNamed;

    /** A mail of a mailbox file: the file and the offset of the line before the mail. */
    private record Part(Path file, long start, long length) {}

    /** An argument that is not usable as a mail. The message names it and gives the reason. */
    public static final class UnusableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnusableException(String message) {
            super(message);
        }
    }

    public MailFiles(List<String> names, InputStream standardInput) {
        this(names, standardInput, false);
    }

    /**
     * Lists mails.
     *
     * @param mailboxes whether a file that begins with {@code From } is a mailbox file with many mails, named
     *            {@code FILE 1}, {@code FILE 2} and so on, or {@code FILE} if it is the only one; otherwise it is one
     *            mail behind such a line
     */
    MailFiles(List<String> names, InputStream standardInput, boolean mailboxes) {
        this.standardInput = standardInput;
        this.mailboxes = mailboxes;
        for (String name : names) {
            if (name.equals(STANDARD_INPUT)) {
                files.add(Path.of(STANDARD_INPUT));
            } else if (name.isEmpty()) {
                // Java takes it for the current folder; a script that passes it has an unset variable.
                problems.add("a file name is empty");
            } else {
                try {
                    add(Path.of(name));
                } catch (InvalidPathException e) {
                    problems.add(name + ": is not a file name in the character set of this locale; set LC_ALL=C.UTF-8");
                }
            }
        }
    }

    /** Returns every mail in the order of the command line, sorted by name within a folder. */
    public List<Path> files() {
        return Collections.unmodifiableList(files);
    }

    /** Returns one sentence for each argument that could not be listed. */
    public List<String> problems() {
        return Collections.unmodifiableList(problems);
    }

    /** Returns whether the command line names a folder. Only then does a progress bar make sense. */
    public boolean folderNamed() {
        return folderNamed;
    }

    /** Returns the size in bytes of one of {@link #files()}, or the maximum size if the size is unknown. */
    long size(Path file) {
        Part part = parts.get(file);
        try {
            return part != null ? part.length() : isStandardInput(file) ? MAX_MAIL_BYTES : Files.size(file);
        } catch (IOException e) {
            // The read will report the reason.
            return 0;
        }
    }

    private static boolean isStandardInput(Path file) {
        return file.toString().equals(STANDARD_INPUT);
    }

    /**
     * Reads one of {@link #files()}.
     *
     * @throws UnusableException if it cannot be read, is empty, is larger than 50 MiB, or is not a mail
     */
    public byte[] read(Path file) throws UnusableException {
        byte[] bytes;
        try {
            bytes = isStandardInput(file)
                    ? standardInput.readNBytes(MAX_MAIL_BYTES + 1)
                    : readFile(file);
        } catch (IOException e) {
            throw new UnusableException(file + ": cannot be read: " + Reports.reason(e));
        }
        if (bytes.length == 0) {
            throw new UnusableException(file + ": is empty");
        }
        if (bytes.length > MAX_MAIL_BYTES) {
            throw new UnusableException(file + ": is larger than 50 MiB; Rspamd does not read such mails");
        }
        if (!looksLikeMail(bytes)) {
            throw new UnusableException(file + ": is not a mail: it has binary data and no header");
        }
        return bytes;
    }

    private byte[] readFile(Path file) throws IOException {
        Part part = parts.get(file);
        if (part != null) {
            try (InputStream in = stream(part.file())) {
                in.skipNBytes(part.start());
                return new MboxScanner(new BufferedInputStream(in), MAX_MAIL_BYTES).next()
                        .map(mail -> mail.bytes().orElse(new byte[MAX_MAIL_BYTES + 1])).orElse(new byte[0]);
            }
        }
        try (InputStream in = stream(file)) {
            return in.readNBytes(MAX_MAIL_BYTES + 1);
        }
    }

    /** Opens a file. One that was found in a folder may have been put there by another user. */
    private InputStream stream(Path file) throws IOException {
        return found.contains(file)
                ? Channels.newInputStream(RegularFile.openListed(file))
                : Files.newInputStream(file);
    }

    /**
     * Accepts text without a header as a mail, as Rspamd does. Rejects only binary data without a header field at the
     * start, because such an argument is a mistake.
     */
    static boolean looksLikeMail(byte[] bytes) {
        int end = Math.min(bytes.length, SNIFFED_BYTES);
        int start = 0;
        while (start < end && isWhiteSpace(bytes[start])) {
            start++;
        }
        if (startsWith(bytes, start, FROM) || beginsWithField(bytes, start, end)) {
            return true;
        }
        for (int i = start; i < end; i++) {
            int b = bytes[i] & 0xff;
            if (b == 0 || (b < ' ' && !isWhiteSpace(bytes[i]) && b != 0x1b)) {
                return false;
            }
        }
        return true;
    }

    private static boolean startsWith(byte[] bytes, int start, String prefix) {
        if (bytes.length - start < prefix.length()) {
            return false;
        }
        for (int i = 0; i < prefix.length(); i++) {
            if (bytes[start + i] != prefix.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Tests for a field name of RFC 5322, section 2.2: printable ASCII up to a colon. */
    private static boolean beginsWithField(byte[] bytes, int start, int end) {
        for (int i = start; i < end; i++) {
            byte b = bytes[i];
            if (b == ':') {
                return i > start;
            }
            if (b <= ' ' || b == 0x7f) {
                return false;
            }
        }
        return false;
    }

    private static boolean isWhiteSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    private void add(Path path) {
        if (!Files.exists(path)) {
            problems.add(path + ": there is no such file or folder");
        } else if (Files.isDirectory(path)) {
            folderNamed = true;
            addFolder(path);
        } else {
            addFile(path);
        }
    }

    private void addFile(Path file) {
        if (!mailboxes) {
            files.add(file);
            return;
        }
        try (InputStream in = new BufferedInputStream(stream(file))) {
            in.mark(FROM.length());
            boolean mailbox = new String(in.readNBytes(FROM.length()), StandardCharsets.ISO_8859_1).equals(FROM);
            in.reset();
            if (!mailbox) {
                files.add(file);
                return;
            }
            MboxScanner scanner = new MboxScanner(in, 0);
            List<Part> found = new ArrayList<>();
            long start = 0;
            for (Optional<MboxScanner.Mail> mail = scanner.next(); mail.isPresent(); mail = scanner.next()) {
                found.add(new Part(file, start, mail.get().end() - start));
                start = mail.get().end();
            }
            for (int i = 0; i < found.size(); i++) {
                Path name = found.size() == 1 ? file : Path.of(file + " " + (i + 1));
                parts.put(name, found.get(i));
                files.add(name);
            }
        } catch (IOException e) {
            problems.add(file + ": cannot be read: " + Reports.reason(e));
        }
    }

    private void addFolder(Path folder) {
        List<Path> listed = new ArrayList<>();
        try {
            // A link that is named is followed, one in a folder is not: another user may have put it there.
            Path start = Files.isSymbolicLink(folder) ? folder.toRealPath() : folder;
            Files.walkFileTree(start,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                            return isHidden(dir) && !dir.equals(start)
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                            if (!isHidden(file) && attributes.isRegularFile()) {
                                listed.add(folder.resolve(start.relativize(file)));
                            } else if (attributes.isSymbolicLink()) {
                                problems.add(file + ": is a symbolic link in a folder; name the file itself");
                            } else if (attributes.isOther()) {
                                problems.add(file + ": is a pipe, a socket or a device, and no mail");
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException e) {
                            problems.add(file + ": cannot be read: " + Reports.reason(e));
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            problems.add(folder + ": cannot be read: " + Reports.reason(e));
        }
        Collections.sort(listed);
        found.addAll(listed);
        listed.forEach(this::addFile);
    }

    private static boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }
}
