package dev.weir.hash;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
 * <p>A mail is analysed once and then hashed for each rule; {@link #hash} does both. No exception leaves this class
 * because of what a mail contains; a mail over {@link MimeReader#MAXIMUM_SIZE} has no hashes. Immutable and thread-safe.
 */
public final class MailHasher {
    private final TextAnalyzer analyzer;
    private final PublicSuffixes suffixes;

    public MailHasher(TextAnalyzer analyzer, PublicSuffixes suffixes) {
        this.analyzer = analyzer;
        this.suffixes = suffixes;
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

    /** The hashes of a mail for one rule, in wire order. */
    public List<FuzzyHash> hash(byte[] mail, HashRule rule) {
        return hash(analyze(mail), rule, Skip.NOTHING);
    }

    /** The hashes of an analysed mail for one rule, in wire order. */
    public List<FuzzyHash> hash(AnalyzedMail mail, HashRule rule, Skip skip) {
        return new RuleHasher(mail, rule, skip).hashes();
    }

    /** What becomes of each part of an analysed mail under a rule, with the reasons: {@link #hash} and why. */
    public List<PartVerdict> explain(AnalyzedMail mail, HashRule rule, Skip skip) {
        return new RuleHasher(mail, rule, skip).verdicts();
    }

    /** Reads a mail and breaks its texts into words. */
    public AnalyzedMail analyze(byte[] mail) {
        MimeMessage message = MimeReader.read(mail);
        List<MimePart> parts = message.parts();
        Map<Integer, AnalyzedMail.Text> texts = new HashMap<>();
        TextBudget budget = new TextBudget();
        HtmlBudget htmlBudget = new HtmlBudget();
        // The parts share one budget; HTML is served before plain text, and what comes later in the mail before what
        // comes earlier.
        for (boolean html : new boolean[]{true, false}) {
            for (MimePart part : parts.reversed()) {
                if (part.kind() == PartKind.TEXT && part.isHtml() == html) {
                    texts.put(part.number(), html ? html(part, htmlBudget, budget) : plain(part, budget));
                }
            }
        }
        return new AnalyzedMail(parts, texts, message.subject());
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
