package dev.weir.hash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.html.HtmlBudget;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.kind.Features;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.kind.KindHash;
import dev.weir.hash.kind.KindHasher;
import dev.weir.hash.mime.Alternative;
import dev.weir.hash.mime.MimeMessage;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.mime.MimeReader;
import dev.weir.hash.mime.PartKind;
import dev.weir.hash.release.Release;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.hash.text.LanguageData;
import dev.weir.hash.text.TextAnalyzer;
import dev.weir.hash.text.TextBudget;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlSearch;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of hashing: turns a mail into the fuzzy hashes that Rspamd would send, in the same order.
 *
 * <p>A mail is analyzed once and then hashed for each rule; {@link #hash} does both. If a mail exceeds its budget,
 * hashing stops with a {@link NotHashedException} and the mail has no hashes. The content of a mail causes no other
 * exception. A mail larger than {@link MimeReader#MAXIMUM_SIZE} has no hashes. Immutable and thread-safe.
 */
public final class MailHasher {
    /** Default time limit for one mail, far above what a large mail takes. */
    public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(10);

    /** Fixed cost of one text in addition to its bytes, in units of {@link Effort#spend}. */
    private static final int STEPS_A_TEXT = 10_000;

    private final TextAnalyzer analyzer;
    private final PublicSuffixes suffixes;
    private final Duration limit;

    public MailHasher(TextAnalyzer analyzer, PublicSuffixes suffixes) {
        this(analyzer, suffixes, DEFAULT_LIMIT);
    }

    private MailHasher(TextAnalyzer analyzer, PublicSuffixes suffixes, Duration limit) {
        this.analyzer = analyzer;
        this.suffixes = suffixes;
        this.limit = limit;
    }

    /** Returns a hasher with the built-in languages and the default time limit. */
    public static MailHasher standard() {
        return new MailHasher(TextAnalyzer.standard(), PublicSuffixes.standard());
    }

    /** Returns a hasher with other languages and the default time limit. */
    public static MailHasher with(LanguageData languages) {
        PublicSuffixes suffixes = PublicSuffixes.standard();
        return new MailHasher(new TextAnalyzer(TextAnalyzer.DEFAULT_WORDS_DECAY, TextAnalyzer.DEFAULT_LOCALE, languages,
                suffixes), suffixes);
    }

    /**
     * Returns a copy with another time limit. The limit covers a mail from the start of its analysis to its last hash,
     * in wall-clock time. Time between analysis and hashing does not count.
     *
     * @throws IllegalArgumentException if the limit is not positive
     */
    public MailHasher withLimit(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("the time limit for a mail must be positive: " + time);
        }
        return new MailHasher(analyzer, suffixes, time);
    }

    /**
     * Returns the hashes of a mail for one rule, in wire order.
     *
     * @throws NotHashedException if the mail exceeds its budget
     */
    public List<FuzzyHash> hash(byte[] mail, HashRule rule) {
        return hash(analyze(mail), rule, Skip.NOTHING);
    }

    /**
     * Returns the hashes of an analyzed mail for one rule, in wire order.
     *
     * @throws NotHashedException if the mail exceeds its budget, including what was already spent on it
     */
    public List<FuzzyHash> hash(AnalyzedMail mail, HashRule rule, Skip skip) {
        List<FuzzyHash> hashes = new ArrayList<>();
        if (rule.rspamdKinds()) {
            verdicts(mail, rule, skip).forEach(verdict -> hashes.addAll(verdict.hashes()));
        }
        if (!rule.kinds().isEmpty()) {
            hashes.addAll(campaigns(mail, rule.campaigns(), skip));
        }
        return hashes;
    }

    /**
     * Returns the hashes of the kinds beyond those of Rspamd under the keys for wanted mail, in the order of
     * {@link #hash}. Storages keep under them what wanted mail looks like, so that it can be found beside spam.
     *
     * @throws NotHashedException as {@link #hash}
     */
    public List<FuzzyHash> wanted(AnalyzedMail mail, HashRule rule, Skip skip) {
        return campaigns(mail, rule.wanted(), skip);
    }

    /** Returns the hashes of the kinds that Rspamd does not have; they follow the others on the wire. */
    private List<FuzzyHash> campaigns(AnalyzedMail mail, KindHasher hasher, Skip skip) {
        Effort effort = mail.effort(limit);
        try {
            List<FuzzyHash> hashes = new ArrayList<>();
            int part = mail.contentPart();
            for (KindHash hash : hasher.hash(mail.content(), effort)) {
                if (!(hash.kind() == HashKind.PICTURE ? skip.images() : skip.texts())) {
                    hashes.add(new FuzzyHash(hash.kind(), part, hash.digest(), hash.shingles(), null));
                }
            }
            return hashes;
        } finally {
            mail.spent(effort);
        }
    }

    /**
     * Returns what each kind beyond those of Rspamd reads in a mail, with the pieces that it hashes.
     *
     * @throws NotHashedException as {@link #hash}
     */
    public List<Features> features(AnalyzedMail mail, HashRule rule) {
        Effort effort = mail.effort(limit);
        try {
            return rule.campaigns().explain(mail.content(), effort);
        } finally {
            mail.spent(effort);
        }
    }

    /**
     * Returns, for each part of an analyzed mail, its hashes and the reasons for missing ones.
     *
     * @throws NotHashedException as {@link #hash}
     */
    public List<PartVerdict> explain(AnalyzedMail mail, HashRule rule, Skip skip) {
        return verdicts(mail, rule, skip);
    }

    private List<PartVerdict> verdicts(AnalyzedMail mail, HashRule rule, Skip skip) {
        Effort effort = mail.effort(limit);
        try {
            return new RuleHasher(reading(mail, rule, effort), rule, skip, effort).verdicts();
        } finally {
            mail.spent(effort);
        }
    }

    /**
     * Returns an analyzed mail with the words that the rule's release of Rspamd reads in it. {@link #hash} and
     * {@link #explain} use these words.
     *
     * @throws NotHashedException as {@link #hash}
     */
    public AnalyzedMail reading(AnalyzedMail mail, HashRule rule) {
        Effort effort = mail.effort(limit);
        try {
            return reading(mail, rule, effort);
        } finally {
            mail.spent(effort);
        }
    }

    private AnalyzedMail reading(AnalyzedMail mail, HashRule rule, Effort effort) {
        return mail.as(rule.like(), message -> texts(message, rule.like(), effort));
    }

    /**
     * Reads a mail and splits its texts into words.
     *
     * @throws NotHashedException if the mail exceeds its budget
     */
    public AnalyzedMail analyze(byte[] mail) {
        Effort effort = Effort.of(limit, mail.length);
        MimeMessage message = MimeReader.read(mail, effort);
        Map<Integer, AnalyzedMail.Text> texts = texts(message, Release.V4_1, effort);
        return new AnalyzedMail(message, texts, mail.length, effort.spent());
    }

    private Map<Integer, AnalyzedMail.Text> texts(MimeMessage message, Release like, Effort effort) {
        Map<Integer, AnalyzedMail.Text> texts = new HashMap<>();
        TextBudget budget = new TextBudget(effort);
        HtmlBudget htmlBudget = new HtmlBudget(effort);
        // The parts share one budget. HTML takes from it before plain text, and later parts of a kind before earlier
        // ones.
        for (boolean html : new boolean[]{true, false}) {
            for (MimePart part : message.parts().reversed()) {
                if (part.kind() == PartKind.TEXT && part.isHtml() == html) {
                    effort.spend(STEPS_A_TEXT + part.body().length);
                    texts.put(part.number(), html ? html(part, htmlBudget, budget, like) : plain(part, budget));
                }
            }
        }
        // The older release looks at mails with two texts only.
        if (like != Release.V3_4 || texts.size() == 2) {
            shareLanguage(message.alternative(), texts);
        }
        return texts;
    }

    /** Gives the plain text of a pair the language of the HTML, which decides how many words make a text. */
    private static void shareLanguage(@Nullable Alternative pair, Map<Integer, AnalyzedMail.Text> texts) {
        if (pair == null) {
            return;
        }
        AnalyzedMail.Text html = texts.get(pair.html());
        AnalyzedMail.Text plain = texts.get(pair.plain());
        if (html != null && plain != null) {
            texts.put(pair.plain(), new AnalyzedMail.Text(plain.words().withLanguageOf(html.words()), null));
        }
    }

    private AnalyzedMail.Text plain(MimePart part, TextBudget budget) {
        byte[] utf8 = part.utf8();
        UrlSearch search = part.siblings() == 2 ? UrlSearch.STRICT : UrlSearch.FULL;
        AnalyzedText words = analyzer.analyze(utf8 != null ? utf8 : part.body(), utf8 == null, false, search, List.of(),
                part::digest, budget);
        return new AnalyzedMail.Text(words, null);
    }

    private AnalyzedMail.Text html(MimePart part, HtmlBudget htmlBudget, TextBudget budget, Release like) {
        byte[] utf8 = part.utf8();
        HtmlDocument document = HtmlDocument.parse(utf8 != null ? utf8 : part.body(), suffixes, htmlBudget,
                like);
        List<TextException> displayed = document.displayedUrls();
        AnalyzedText words = analyzer.analyze(document.visibleText(), utf8 == null, true, UrlSearch.STRICT, displayed,
                part::digest, budget);
        return new AnalyzedMail.Text(words, document);
    }
}
