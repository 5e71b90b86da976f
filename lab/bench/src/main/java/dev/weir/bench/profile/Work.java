package dev.weir.bench.profile;

import java.util.List;
import java.util.regex.Pattern;

/** A row of the profile: what a stack works for. The innermost class of Weir decides, except for {@link #LANGUAGE}. */
enum Work {
    /** What the detector calls counts here too, because other work calls the same classes. */
    LANGUAGE("language", "hash\\.text\\.(LanguageDetector|StopWords|Trigrams|CandidateTable|LanguageData).*"),
    WORDS("words and stemming", "hash\\.text\\..*"),
    STYLES("CSS", "hash\\.html\\.(css\\..*|StyleResolver.*)"),
    LINKS("links", "hash\\.(url\\..*|html\\.LinkResolver.*)"),
    HTML("tokenizer, tree and text of HTML", "hash\\.html\\..*"),
    SHINGLES("shingles and BLAKE2b", "hash\\.(shingle\\..*|RuleHasher.*|FuzzyHash.*)"),
    SNIFFING("sniffing of contents", "hash\\.mime\\.content\\..*"),
    DECODING("transfer encodings", "hash\\.mime\\.encoding\\..*"),
    CHARSETS("charsets", "hash\\.mime\\.charset\\..*"),
    HEADERS("MIME headers", "hash\\.mime\\.header\\..*"),
    STRUCTURE("MIME structure and digests of parts", "hash\\.mime\\..*"),
    HASHING("the rest of hashing", "hash\\..*"),
    HTTP("HTTP in Java", "(http|cli)\\..*"),
    ASKING("UDP client and scoring", "(scan|wire|net|model|config|lua|engine|server|storage|os)\\..*"),
    KERNEL("kernel", "-"),
    THREADS("threads, and Java outside Weir", "-"),
    COMPILERS("JIT compilers", "-"),
    COLLECTOR("garbage collection and other threads of the JVM", "-");

    private static final String WEIR = "dev.weir.";
    /** Helpers that count for their callers. */
    private static final Pattern HELPER = Pattern.compile("dev\\.weir\\.hash\\.(bytes|effort|table)\\..*");
    private static final Pattern SYSTEM_CALL = Pattern
            .compile("(sun\\.nio\\.(ch|fs)|java\\.(io|net)|jdk\\.internal\\.foreign)\\..*");

    private final String title;
    private final Pattern classes;

    Work(String title, String classes) {
        this.title = title;
        this.classes = Pattern.compile("dev\\.weir\\." + classes);
    }

    String title() {
        return title;
    }

    /**
     * Returns what a stack works for.
     *
     * @param inNative whether the innermost method is a native one
     * @param stack names of the classes, the innermost first
     */
    static Work of(boolean inNative, List<String> stack) {
        if (inNative && !stack.isEmpty() && SYSTEM_CALL.matcher(stack.getFirst()).matches()) {
            return KERNEL;
        }
        List<String> weirs = stack.stream().filter(name -> name.startsWith(WEIR) && !HELPER.matcher(name).matches())
                .toList();
        if (weirs.stream().anyMatch(name -> LANGUAGE.classes.matcher(name).matches())) {
            return LANGUAGE;
        }
        for (Work work : values()) {
            if (!weirs.isEmpty() && work.classes.matcher(weirs.getFirst()).matches()) {
                return work;
            }
        }
        return THREADS;
    }
}
