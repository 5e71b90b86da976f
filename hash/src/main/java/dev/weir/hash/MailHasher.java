package dev.weir.hash;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.html.HtmlBudget;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.mime.MimeMessage;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.mime.MimeReader;
import dev.weir.hash.mime.PartKind;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.hash.text.LanguageData;
import dev.weir.hash.text.TextAnalyzer;
import dev.weir.hash.text.TextBudget;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlSearch;

/**
 * Mail in, fuzzy hashes out, as a client of the reference would send them and in the same order.
 *
 * <p>A mail is analysed once and then hashed for each rule; {@link #hash} does both. A mail that costs more than a mail
 * may is given up as a whole with a {@link NotHashedException}; no other exception leaves this class because of what a
 * mail contains. A mail over {@link MimeReader#MAXIMUM_SIZE} has no hashes. Immutable and thread-safe.
 */
public final class MailHasher {
    /** What a mail may take to hash unless it is said: a hundred times what a large one takes. */
    public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(10);

    /** What one text costs beside its bytes, counted as {@link Effort#spend} does. */
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

    /** With the data and the options that ship. */
    public static MailHasher standard() {
        return new MailHasher(TextAnalyzer.standard(), PublicSuffixes.standard());
    }

    /** With other languages than those that ship, and else with what ships. */
    public static MailHasher with(LanguageData languages) {
        PublicSuffixes suffixes = PublicSuffixes.standard();
        return new MailHasher(new TextAnalyzer(TextAnalyzer.DEFAULT_WORDS_DECAY, TextAnalyzer.DEFAULT_LOCALE, languages,
                suffixes), suffixes);
    }

    /**
     * The same with another limit of time: what a mail may take from the beginning of its analysis to its last hash, in
     * the time of the wall clock. Waiting between the two does not count.
     *
     * @throws IllegalArgumentException if it is not above zero
     */
    public MailHasher withLimit(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("a mail must have some time: " + time);
        }
        return new MailHasher(analyzer, suffixes, time);
    }

    /**
     * The hashes of a mail for one rule, in wire order.
     *
     * @throws NotHashedException if the mail costs more than a mail may
     */
    public List<FuzzyHash> hash(byte[] mail, HashRule rule) {
        return hash(analyze(mail), rule, Skip.NOTHING);
    }

    /**
     * The hashes of an analysed mail for one rule, in wire order.
     *
     * @throws NotHashedException if the mail costs more than a mail may, what it cost before included
     */
    public List<FuzzyHash> hash(AnalyzedMail mail, HashRule rule, Skip skip) {
        return verdicts(mail, rule, skip).stream().flatMap(verdict -> verdict.hashes().stream()).toList();
    }

    /**
     * What becomes of each part of an analysed mail under a rule, with the reasons: {@link #hash} and why.
     *
     * @throws NotHashedException as {@link #hash}
     */
    public List<PartVerdict> explain(AnalyzedMail mail, HashRule rule, Skip skip) {
        return verdicts(mail, rule, skip);
    }

    private List<PartVerdict> verdicts(AnalyzedMail mail, HashRule rule, Skip skip) {
        Effort effort = mail.effort(limit);
        try {
            return new RuleHasher(mail, rule, skip, effort).verdicts();
        } finally {
            mail.spent(effort);
        }
    }

    /**
     * Reads a mail and breaks its texts into words.
     *
     * @throws NotHashedException if the mail costs more than a mail may
     */
    public AnalyzedMail analyze(byte[] mail) {
        Effort effort = Effort.of(limit, mail.length);
        MimeMessage message = MimeReader.read(mail, effort);
        List<MimePart> parts = message.parts();
        Map<Integer, AnalyzedMail.Text> texts = new HashMap<>();
        TextBudget budget = new TextBudget(effort);
        HtmlBudget htmlBudget = new HtmlBudget(effort);
        // The parts share one budget; HTML is served before plain text, and what comes later in the mail before what
        // comes earlier.
        for (boolean html : new boolean[]{true, false}) {
            for (MimePart part : parts.reversed()) {
                if (part.kind() == PartKind.TEXT && part.isHtml() == html) {
                    effort.spend(STEPS_A_TEXT + part.body().length);
                    texts.put(part.number(), html ? html(part, htmlBudget, budget) : plain(part, budget));
                }
            }
        }
        return new AnalyzedMail(parts, texts, message.subject(), mail.length, effort.spent());
    }

    private AnalyzedMail.Text plain(MimePart part, TextBudget budget) {
        byte[] utf8 = part.utf8();
        UrlSearch search = part.siblings() == 2 ? UrlSearch.STRICT : UrlSearch.FULL;
        AnalyzedText words = analyzer.analyze(utf8 != null ? utf8 : part.body(), utf8 == null, false, search, List.of(),
                part::digest, budget);
        return new AnalyzedMail.Text(words, null);
    }

    private AnalyzedMail.Text html(MimePart part, HtmlBudget htmlBudget, TextBudget budget) {
        byte[] utf8 = part.utf8();
        HtmlDocument document = HtmlDocument.parse(utf8 != null ? utf8 : part.body(), suffixes, htmlBudget);
        List<TextException> displayed = document.displayedUrls();
        AnalyzedText words = analyzer.analyze(document.visibleText(), utf8 == null, true, UrlSearch.STRICT, displayed,
                part::digest, budget);
        return new AnalyzedMail.Text(words, document);
    }
}
