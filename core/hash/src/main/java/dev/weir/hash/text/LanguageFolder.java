package dev.weir.hash.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The reader for the {@code languages} folder of an installed Rspamd. */
final class LanguageFolder {
    /** Maximum size of a file in bytes, well above Rspamd's own files. */
    private static final long MAX_FILE = 8 << 20;

    private LanguageFolder() {}

    static LanguageData read(Path folder) throws IOException {
        Map<String, List<String>> words = stopWords(folder.resolve("stop_words"));
        List<Language> languages = new ArrayList<>();
        Map<String, LanguageData.Profile> profiles = new HashMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.json")) {
            for (Path file : files) {
                language(file, words, languages, profiles);
            }
        }
        if (languages.isEmpty()) {
            throw new IOException(folder + ": no language file with a known type");
        }
        return LanguageData.of(languages, words, profiles);
    }

    private static void language(Path file, Map<String, List<String>> words, List<Language> languages,
            Map<String, LanguageData.Profile> profiles) throws IOException {
        if (!(parse(file) instanceof Map<?, ?> root)) {
            throw new IOException(file + ": not an object");
        }
        Script script = script(root.get("type"));
        if (script == null) {
            return; // as in Rspamd, a language without a known type is not loaded
        }
        String name = String.valueOf(file.getFileName());
        String code = name.substring(0, name.length() - ".json".length());
        Set<Object> flags = root.get("flags") instanceof List<?> list ? new HashSet<>(list) : Set.of();
        int count = words.getOrDefault(code, List.of()).size();
        languages.add(new Language(code, script, flags.contains("diacritics"), flags.contains("ascii"), count));
        Map<String, Long> counts = new HashMap<>();
        if (root.get("freq") instanceof Map<?, ?> freq) {
            freq.forEach((trigram, n) -> {
                if (trigram instanceof String t && t.length() == 3 && n instanceof Double number) {
                    counts.put(t, number.longValue());
                }
            });
        }
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        if (root.get("n_words") instanceof List<?> totals && totals.size() == 3 && totals.get(2) instanceof Double n) {
            total = n.longValue();
        }
        profiles.put(code, new LanguageData.Profile(total, counts));
    }

    private static @Nullable Script script(@Nullable Object type) {
        return switch (String.valueOf(type)) {
            case "latin" -> Script.LATIN;
            case "cyrillic" -> Script.CYRILLIC;
            case "devanagari" -> Script.DEVANAGARI;
            case "arab" -> Script.ARABIC;
            default -> null;
        };
    }

    private static Map<String, List<String>> stopWords(Path file) throws IOException {
        if (!(parse(file) instanceof Map<?, ?> root)) {
            throw new IOException(file + ": not an object");
        }
        Map<String, List<String>> words = new HashMap<>();
        root.forEach((code, list) -> {
            if (code instanceof String c && list instanceof List<?> l) {
                words.put(c, l.stream().filter(String.class::isInstance).map(String.class::cast).toList());
            }
        });
        return words;
    }

    private static @Nullable Object parse(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE) {
            throw new IOException(file + ": larger than " + MAX_FILE + " bytes");
        }
        try {
            return new LooseJson(Files.readString(file, StandardCharsets.UTF_8)).value();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
