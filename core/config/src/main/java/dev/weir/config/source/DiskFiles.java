package dev.weir.config.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/**
 * The files of this machine. No other class of this module accesses a disk.
 *
 * <p>Relative names are relative to the working directory of the process, as in Rspamd.
 */
public final class DiskFiles implements SourceFiles {
    private final Opening opening;

    /** How files are opened. */
    @FunctionalInterface
    public interface Opening {
        /** Opens a file for reading. */
        InputStream open(Path file) throws IOException;
    }

    /** Opens files as Java does. */
    public DiskFiles() {
        this(Files::newInputStream);
    }

    /** Opens files in another way, which may refuse some. */
    public DiskFiles(Opening opening) {
        this.opening = opening;
    }

    @Override
    public byte[] read(String path, int limit) throws IOException {
        Path file = path(path);
        // A device or a pipe could block or never end.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileSystemException(path, null, "not a regular file");
        }
        try (InputStream in = opening.open(file)) {
            byte[] bytes = in.readNBytes(limit);
            if (in.read() >= 0) {
                throw new FileSystemException(path, null, "longer than " + limit + " bytes");
            }
            return bytes;
        }
    }

    @Override
    public String realPath(String path) throws IOException {
        return path(path).toRealPath().toString();
    }

    @Override
    public List<String> glob(String pattern, int limit) throws IOException {
        Path whole = path(pattern);
        List<Path> found = new ArrayList<>();
        Path root = whole.getRoot();
        expand(root == null ? Path.of("") : root, whole, 0, limit, found);
        List<String> names = new ArrayList<>();
        found.forEach(file -> names.add(file.toString()));
        Collections.sort(names);
        return names;
    }

    private static void expand(Path folder, Path pattern, int depth, int limit, List<Path> found) throws IOException {
        if (depth == pattern.getNameCount()) {
            if (found.size() == limit) {
                throw new FileSystemException(pattern.toString(), null, "more than " + limit + " files match");
            }
            found.add(folder);
            return;
        }
        String segment = pattern.getName(depth).toString();
        if (segment.chars().noneMatch(c -> c == '*' || c == '?' || c == '[')) {
            Path next = folder.resolve(segment);
            if (Files.exists(next)) {
                expand(next, pattern, depth + 1, limit, found);
            }
            return;
        }
        PathMatcher matcher = matcher(folder, segment);
        List<Path> matches = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, entry -> {
            Path name = entry.getFileName();
            return name != null && matcher.matches(name)
                    && (segment.startsWith(".") || !name.toString().startsWith("."));
        })) {
            for (Path entry : entries) {
                if (matches.size() > limit) {
                    break;
                }
                matches.add(entry);
            }
        } catch (NoSuchFileException | NotDirectoryException absent) {
            return;
        }
        for (Path match : matches) {
            expand(match, pattern, depth + 1, limit, found);
        }
    }

    private static PathMatcher matcher(Path folder, String segment) throws IOException {
        // Java's globs give braces a meaning that the shell patterns of includes do not have.
        String escaped = segment.replace("{", "\\{").replace("}", "\\}");
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + escaped);
        } catch (PatternSyntaxException e) {
            throw new FileSystemException(folder.resolve(segment).toString(), null, "not a pattern: " + e.getMessage());
        }
    }

    private static Path path(String path) throws IOException {
        try {
            return Path.of(path);
        } catch (InvalidPathException e) {
            throw new FileSystemException(path, null, "not a file name: " + e.getReason());
        }
    }
}
