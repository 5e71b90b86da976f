package dev.weir.config.ucl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;

import dev.weir.config.source.SourceFiles;

/** In-memory files. A glob pattern matches by its text before the first star, question mark or bracket. */
public record MemoryFiles(Map<String, String> files) implements SourceFiles {
    @Override
    public byte[] read(String path, int limit) throws IOException {
        byte[] content = files.getOrDefault(realPath(path), "").getBytes(StandardCharsets.UTF_8);
        if (content.length > limit) {
            throw new FileSystemException(path, null, "longer than " + limit + " bytes");
        }
        return content;
    }

    @Override
    public String realPath(String path) throws IOException {
        if (!files.containsKey(path)) {
            throw new NoSuchFileException(path);
        }
        return path;
    }

    @Override
    public List<String> glob(String pattern, int limit) {
        String start = pattern.replaceFirst("(?s)[*?\\[].*", "");
        return files.keySet().stream().filter(name -> name.startsWith(start)).sorted().toList();
    }
}
