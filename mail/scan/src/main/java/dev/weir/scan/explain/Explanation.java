package dev.weir.scan.explain;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.PartVerdict;
import dev.weir.hash.Skip;
import dev.weir.hash.html.HiddenText;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.kind.Features;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.mime.PartKind;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.model.SafeText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A step-by-step account of how one mail becomes hashes.
 *
 * @param name     of the mail, as the user gave it
 * @param size     bytes of the mail
 * @param mail     what was read
 * @param verdicts part by part, for the kinds that Rspamd has
 * @param hashes   all hashes of the mail in the order of their queries
 * @param features what each kind beyond those reads, in the order of their hashes
 */
public record Explanation(String name, int size, AnalyzedMail mail, List<PartVerdict> verdicts,
        List<FuzzyHash> hashes, List<Features> features) {
    /** Default number of words of a text to print. */
    private static final int SHOWN_WORDS = 40;
    /** Default number of hidden texts to print, and of characters of each. */
    private static final int SHOWN_HIDDEN = 10;
    private static final int SHOWN_LENGTH = 60;
    private static final int LINE = 100;
    /** Default number of pieces of a kind to print. */
    private static final int SHOWN_PIECES = 8;
    private static final String INDENT = "        ";

    public Explanation {
        verdicts = List.copyOf(verdicts);
        hashes = List.copyOf(hashes);
        features = List.copyOf(features);
    }

    /** Explains a mail under a rule. */
    public static Explanation of(String name, byte[] bytes, MailHasher hasher, HashRule rule) {
        AnalyzedMail mail = hasher.reading(hasher.analyze(bytes), rule);
        return new Explanation(name, bytes.length, mail, hasher.explain(mail, rule, Skip.NOTHING),
                hasher.hash(mail, rule, Skip.NOTHING), hasher.features(mail, rule));
    }

    /** Returns the pieces that a hash is made of, for the kinds that Rspamd does not have. */
    List<String> pieces(FuzzyHash hash) {
        for (Features one : features) {
            if (hash.kind() == one.kind()) {
                return one.kind().near() ? one.texts() : piece(one, hash);
            }
        }
        return List.of();
    }

    /** Returns the one piece of a hash that matches exactly. Each hash of such a kind has one. */
    private static List<String> piece(Features one, FuzzyHash hash) {
        for (int i = 0; i < one.hashes().size(); i++) {
            if (Arrays.equals(one.hashes().get(i).digest(), hash.digest())) {
                return List.of(one.texts().get(i));
            }
        }
        return List.of();
    }

    /** Returns the hashed words of a text part, or an empty list for other parts. */
    List<String> words(int part) {
        AnalyzedText text = mail.words(part);
        return text == null
                ? List.of()
                : text.stems().stream().map(stem -> new String(stem, StandardCharsets.UTF_8)).toList();
    }

    /** Returns a count with its noun, such as "1 hash" or "2 parts". */
    static String count(int n, String noun) {
        return n + " " + noun + (n == 1 ? "" : noun.endsWith("h") ? "es" : "s");
    }

    /** Prints the explanation as text. */
    public void print(PrintStream out, boolean allWords) {
        out.printf(Locale.ROOT, "%s: %,d bytes, %s, %s%n", name, size, count(verdicts.size(), "part"),
                count(hashes().size(), "hash"));
        if (mail.subjectText() != null) {
            out.println("subject: " + printable(mail.subjectText()));
        }
        for (PartVerdict verdict : verdicts) {
            out.println();
            out.println("part " + verdict.part().number() + "  " + describe(verdict.part()));
            AnalyzedText text = mail.words(verdict.part().number());
            if (text != null) {
                printWords(out, text, allWords);
            }
            printHidden(out, hidden(verdict.part().number()), allWords);
            for (FuzzyHash hash : verdict.hashes()) {
                out.println(
                        INDENT + "hashed as " + hash.kind().label() + (hash.hasShingles() ? ", 32 shingles" : ""));
                out.println(INDENT + "  " + HexFormat.of().formatHex(hash.digest()));
            }
            for (PartVerdict.Refusal refusal : verdict.refusals()) {
                out.println(INDENT + "not as " + refusal.kind().label() + ": " + Reasons.sentence(refusal));
            }
        }
        if (!features.isEmpty()) {
            out.println();
            out.println("kinds that Rspamd does not have");
            features.forEach(one -> print(out, one, allWords));
        }
    }

    private static void print(PrintStream out, Features one, boolean all) {
        String name = one.kind().label();
        if (one.hashes().isEmpty()) {
            out.println(INDENT + "not as " + name + ": " + one.reason());
            return;
        }
        out.printf(Locale.ROOT, "%shashed as %s%s%n", INDENT, name,
                one.kind().near() ? String.format(Locale.ROOT, ", 32 shingles of %,d pieces", one.texts().size()) : "");
        int shown = all ? one.texts().size() : Math.min(one.texts().size(), SHOWN_PIECES);
        one.texts().subList(0, shown).forEach(text -> out.println(INDENT + "  " + printable(text)));
        if (shown < one.texts().size()) {
            out.println(INDENT + "  ...");
        }
    }

    private String describe(MimePart part) {
        StringBuilder line = new StringBuilder(printable(part.mediaType()));
        String detected = part.detectedMediaType();
        if (detected != null && !detected.equals(part.mediaType())) {
            line.append(" (looks like ").append(detected).append(')');
        }
        if (part.kind() == PartKind.MULTIPART) {
            return line.append(", a container").toString();
        }
        line.append(": ").append(kind(part)).append(String.format(Locale.ROOT, ", %,d bytes", part.body().length));
        if (part.fileName() != null) {
            line.append(", \"").append(printable(part.fileName())).append('"');
        }
        return line.append(part.isAttachment() ? ", attached" : "").toString();
    }

    private static String kind(MimePart part) {
        return switch (part.kind()) {
            case TEXT ->
                (part.isHtml() ? "HTML text" : "plain text") + (part.utf8() == null ? " of unknown charset" : "");
            case IMAGE -> "image of " + part.width() + " x " + part.height() + " pixels";
            case ARCHIVE -> "archive";
            case MESSAGE -> "a mail";
            case SPECIAL -> "document";
            case OTHER -> "neither text nor image nor archive";
            case MULTIPART -> "container";
        };
    }

    private static void printWords(PrintStream out, AnalyzedText text, boolean all) {
        int count = text.stems().size();
        out.printf(Locale.ROOT, "%s%,d words%s%n", INDENT, count,
                text.language().isEmpty() ? "" : ", language " + text.language());
        StringBuilder line = new StringBuilder();
        int shown = all ? count : Math.min(count, SHOWN_WORDS);
        for (int i = 0; i < shown; i++) {
            String word = printable(new String(text.stems().get(i), StandardCharsets.UTF_8));
            if (line.length() + word.length() > LINE) {
                out.println(INDENT + "  " + line);
                line = new StringBuilder();
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (shown < count) {
            line.append(" ...");
        }
        if (!line.isEmpty()) {
            out.println(INDENT + "  " + line);
        }
    }

    private List<HiddenText> hidden(int part) {
        HtmlDocument html = mail.html(part);
        return html == null ? List.of() : html.hiddenTexts();
    }

    private static void printHidden(PrintStream out, List<HiddenText> texts, boolean all) {
        int shown = all ? texts.size() : Math.min(texts.size(), SHOWN_HIDDEN);
        for (HiddenText hidden : texts.subList(0, shown)) {
            String text = printable(hidden.text());
            boolean whole = all || text.length() <= SHOWN_LENGTH;
            out.printf(Locale.ROOT, "%shidden: %s from line %,d: %s%n", INDENT, hidden.reason(), hidden.line(),
                    whole ? text : text.substring(0, SHOWN_LENGTH) + " ...");
        }
        if (shown < texts.size()) {
            out.printf(Locale.ROOT, "%shidden: %,d more texts%n", INDENT, texts.size() - shown);
        }
    }

    /** Escapes text of a mail: control characters must not reach the terminal. */
    static String printable(@Nullable String text) {
        return text == null ? "" : SafeText.of(text);
    }

    /** Writes the explanation as members of an open JSON object. */
    public void write(JsonGenerator json) {
        json.writeStringProperty("file", name);
        json.writeNumberProperty("bytes", size);
        if (mail.subjectText() != null) {
            json.writeStringProperty("subject", mail.subjectText());
        }
        json.writeArrayPropertyStart("parts");
        for (PartVerdict verdict : verdicts) {
            json.writeStartObject();
            write(json, verdict);
            json.writeEndObject();
        }
        json.writeEndArray();
        if (!features.isEmpty()) {
            json.writeArrayPropertyStart("kinds");
            for (Features one : features) {
                json.writeStartObject();
                write(json, one);
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    private static void write(JsonGenerator json, Features one) {
        json.writeStringProperty("kind", one.kind().label());
        if (!one.reason().isEmpty()) {
            json.writeStringProperty("reason", one.reason());
        }
        json.writeArrayPropertyStart("digests");
        one.hashes().forEach(hash -> json.writeString(HexFormat.of().formatHex(hash.digest())));
        json.writeEndArray();
        json.writeArrayPropertyStart("pieces");
        one.texts().forEach(json::writeString);
        json.writeEndArray();
    }

    private void write(JsonGenerator json, PartVerdict verdict) {
        MimePart part = verdict.part();
        json.writeNumberProperty("part", part.number());
        json.writeStringProperty("type", part.mediaType());
        if (part.detectedMediaType() != null) {
            json.writeStringProperty("detected", part.detectedMediaType());
        }
        json.writeStringProperty("class", part.kind().name().toLowerCase(Locale.ROOT));
        json.writeNumberProperty("bytes", part.body().length);
        if (part.fileName() != null) {
            json.writeStringProperty("name", part.fileName());
        }
        json.writeBooleanProperty("attached", part.isAttachment());
        AnalyzedText text = mail.words(part.number());
        if (text != null) {
            json.writeBooleanProperty("html", part.isHtml());
            json.writeStringProperty("language", text.language());
            json.writeArrayPropertyStart("words");
            text.stems().forEach(stem -> json.writeString(new String(stem, StandardCharsets.UTF_8)));
            json.writeEndArray();
        }
        if (part.isHtml()) {
            json.writeArrayPropertyStart("hidden");
            for (HiddenText hidden : hidden(part.number())) {
                json.writeStartObject();
                json.writeStringProperty("reason", hidden.reason());
                json.writeNumberProperty("line", hidden.line());
                json.writeStringProperty("text", hidden.text());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        writeHashes(json, verdict.hashes());
        json.writeArrayPropertyStart("refused");
        for (PartVerdict.Refusal refusal : verdict.refusals()) {
            json.writeStartObject();
            json.writeStringProperty("kind", refusal.kind().label());
            json.writeStringProperty("reason", refusal.reason().name().toLowerCase(Locale.ROOT));
            if (refusal.needed() > 0) {
                json.writeNumberProperty("actual", refusal.actual());
                json.writeNumberProperty("needed", refusal.needed());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes hashes as the member {@code hashes} of an open JSON object. */
    public static void writeHashes(JsonGenerator json, List<FuzzyHash> hashes) {
        json.writeArrayPropertyStart("hashes");
        for (FuzzyHash hash : hashes) {
            json.writeStartObject();
            json.writeStringProperty("kind", hash.kind().label());
            json.writeStringProperty("digest", HexFormat.of().formatHex(hash.digest()));
            if (hash.hasShingles()) {
                json.writeArrayPropertyStart("shingles");
                for (long shingle : hash.shingles()) {
                    json.writeString(HexFormat.of().toHexDigits(shingle));
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
