package dev.weir.cli.mail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import dev.weir.cli.terminal.Reports;

/**
 * The mails that a command line names: files, folders with everything below them except hidden entries, and {@code -}
 * for standard input.
 *
 * <p>It reads each file only on request, so a large folder costs no more memory than its list of names.
 */
public final class MailFiles {
    /** Name of standard input in reports. */
    static final String STANDARD_INPUT = "-";

    /** Rspamd does not read larger mails (docs/reference/hashing.md#raw-input). */
    private static final int MAX_MAIL_BYTES = 50 << 20;

    /** Length of the prefix that decides whether a file without a header is text. */
    private static final int SNIFFED_BYTES = 4096;

    private final List<Path> files = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final InputStream standardInput;
    private boolean folderNamed;

    /** An argument that is not usable as a mail. The message names it and gives the reason. */
    public static final class UnusableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnusableException(String message) {
            super(message);
        }
    }

    public MailFiles(List<String> names, InputStream standardInput) {
        this.standardInput = standardInput;
        for (String name : names) {
            if (name.equals(STANDARD_INPUT)) {
                files.add(Path.of(STANDARD_INPUT));
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
        try {
            return isStandardInput(file) ? MAX_MAIL_BYTES : Files.size(file);
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

    private static byte[] readFile(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MAX_MAIL_BYTES + 1);
        }
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
        if (startsWith(bytes, start, "From ") || beginsWithField(bytes, start, end)) {
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
            files.add(path);
        }
    }

    private void addFolder(Path folder) {
        List<Path> found = new ArrayList<>();
        try {
            // Follow links. Report a loop like any other problem.
            Files.walkFileTree(folder, Set.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                            return isHidden(dir) && !dir.equals(folder)
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                            if (!isHidden(file) && attributes.isRegularFile()) {
                                found.add(file);
                            } else if (attributes.isSymbolicLink()) {
                                // The walk follows links, so this link is dangling.
                                problems.add(file + ": cannot be read: there is no such file");
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
        Collections.sort(found);
        files.addAll(found);
    }

    private static boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }
}
