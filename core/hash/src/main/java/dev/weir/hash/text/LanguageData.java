package dev.weir.hash.text;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The data for language detection (docs/reference/hashing.md#language): stop words and letter trigrams. Immutable and
 * thread-safe.
 */
public final class LanguageData {
    private final Map<Script, StopWords> stopWords;
    private final Map<Script, LaterTrigrams> trigrams;

    private LanguageData(List<Language> languages, Map<String, List<String>> words, Profiles profiles) {
        Map<Script, StopWords> stopWordsByScript = new EnumMap<>(Script.class);
        Map<Script, LaterTrigrams> trigramsByScript = new EnumMap<>(Script.class);
        for (Script script : Script.values()) {
            List<Language> ofScript = languages.stream().filter(l -> l.script() == script).toList();
            stopWordsByScript.put(script, new StopWords(ofScript, words));
            trigramsByScript.put(script, new LaterTrigrams(ofScript, profiles));
        }
        this.stopWords = Collections.unmodifiableMap(stopWordsByScript);
        this.trigrams = Collections.unmodifiableMap(trigramsByScript);
    }

    /**
     * Returns the built-in data, which are read from the class path on first use and then shared. The trigrams of a
     * script follow when a mail needs them.
     */
    public static LanguageData standard() {
        return Standard.DATA;
    }

    /**
     * Reads the {@code languages} folder of an installed Rspamd (for example {@code /usr/share/rspamd/languages}): the
     * file {@code stop_words} and one {@code xx.json} per language. This is the only method that reads files.
     *
     * @throws IOException if a file is unreadable or malformed
     */
    public static LanguageData load(Path folder) throws IOException {
        return LanguageFolder.read(folder);
    }

    static LanguageData of(List<Language> languages, Map<String, List<String>> words, Map<String, Profile> profiles) {
        LanguageData data = new LanguageData(languages, words, codes -> profiles);
        // Now, so that the counts are not kept.
        data.trigrams.values().forEach(LaterTrigrams::get);
        return data;
    }

    StopWords stopWords(Script script) {
        return Objects.requireNonNull(stopWords.get(script));
    }

    Trigrams trigrams(Script script) {
        return Objects.requireNonNull(trigrams.get(script)).get();
    }

    /** Where the profiles of languages come from. */
    private interface Profiles {
        /**
         * Returns at least the profiles of some languages.
         *
         * @param codes the codes of the languages
         */
        Map<String, Profile> of(Set<String> codes);
    }

    /**
     * The trigrams of a script. They are made on first use: the most expensive part of the data, which a start does not
     * need and a mail only if its stop words are not decisive.
     */
    private static final class LaterTrigrams {
        private final List<Language> languages;
        private @Nullable Profiles profiles;
        private volatile @Nullable Trigrams made;

        LaterTrigrams(List<Language> languages, Profiles profiles) {
            this.languages = languages;
            this.profiles = profiles;
        }

        Trigrams get() {
            Trigrams trigrams = made;
            return trigrams != null ? trigrams : make();
        }

        private synchronized Trigrams make() {
            Trigrams trigrams = made;
            if (trigrams == null) {
                Set<String> codes = languages.stream().map(Language::code).collect(Collectors.toUnmodifiableSet());
                trigrams = new Trigrams(languages, Objects.requireNonNull(profiles).of(codes));
                made = trigrams;
                profiles = null;
            }
            return trigrams;
        }
    }

    /**
     * The trigram counts of one language.
     *
     * @param total number of trigrams counted, including rare ones that are not listed
     * @param counts occurrences by trigram
     */
    record Profile(long total, Map<String, Long> counts) {}

    private static final class Standard {
        static final LanguageData DATA = load();

        private static LanguageData load() {
            Map<String, List<String>> words = new HashMap<>();
            Map<String, Integer> wordCounts = new HashMap<>();
            lines("stop_words.tsv", f -> {
                wordCounts.put(f[0], Integer.parseInt(f[1]));
                words.put(f[0], List.copyOf(Arrays.asList(f).subList(2, f.length)));
            });
            List<Language> languages = new ArrayList<>();
            lines("languages.tsv", f -> {
                String flags = f.length > 2 ? f[2] : "";
                languages.add(new Language(f[0], Script.parse(f[1]), flags.contains("diacritics"),
                        flags.contains("ascii"), wordCounts.getOrDefault(f[0], 0)));
            });
            return new LanguageData(languages, words, Standard::profiles);
        }

        private static Map<String, Profile> profiles(Set<String> codes) {
            Map<String, Profile> profiles = new HashMap<>();
            lines("trigrams.tsv", line -> codes.contains(line.substring(0, line.indexOf('\t'))), f -> {
                Map<String, Long> counts = HashMap.newHashMap(f.length / 2);
                for (int i = 2; i + 1 < f.length; i += 2) {
                    counts.put(f[i], Long.parseLong(f[i + 1]));
                }
                profiles.put(f[0], new Profile(Long.parseLong(f[1]), counts));
            });
            return profiles;
        }

        private static void lines(String name, Consumer<String[]> each) {
            lines(name, line -> true, each);
        }

        private static void lines(String name, Predicate<String> wanted, Consumer<String[]> each) {
            try (InputStream in = LanguageData.class.getResourceAsStream(name);
                    BufferedReader reader = new BufferedReader(new InputStreamReader(
                            Objects.requireNonNull(in, name + " is missing from the class path"),
                            StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    if (!line.startsWith("#") && !line.isEmpty() && wanted.test(line)) {
                        each.accept(line.split("\t", -1));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
