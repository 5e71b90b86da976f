package dev.weir.milter.session;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.http.controller.Actions;
import dev.weir.milter.protocol.MilterAnswers;
import dev.weir.milter.protocol.MilterOffer;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.milter.settings.MilterSettings.OnFailure;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;

/**
 * The answer to a mail: what becomes of it, and which header fields it gets (docs/integrate/milter.md#actions). Fields
 * of the same names that came with the mail are deleted, because anyone could have written them.
 */
final class MilterDecision {
    private static final String ACTION = "X-Weir-Action";
    private static final String SCORE = "X-Weir-Score";
    private static final String SYMBOLS = "X-Weir-Symbols";
    private static final String UNSCANNED = "X-Weir-Unscanned";
    private static final String RESULT = "X-Spamd-Result";
    private static final List<String> OWN = List.of(ACTION, SCORE, SYMBOLS, UNSCANNED);

    /** More fields of the filter than a mail has that a few servers with Weir passed on. */
    private static final int MOST_FORGED = 100;

    /** The maximum length of a field, in characters. Mail servers refuse very long ones. */
    private static final int MAX_VALUE = 8000;

    private final MilterOffer agreed;
    private final MilterSettings settings;
    private final IncomingMail mail;
    private final MilterAnswers answers;

    MilterDecision(MilterOffer agreed, MilterSettings settings, IncomingMail mail, MilterAnswers answers) {
        this.agreed = agreed;
        this.settings = settings;
        this.mail = mail;
        this.answers = answers;
    }

    /** Returns the names, in lower case, of the fields that only the filter may add. */
    static Set<String> ownFields(MilterSettings settings) {
        Set<String> names = new HashSet<>();
        own(settings).forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return names;
    }

    private static List<String> own(MilterSettings settings) {
        List<String> names = new ArrayList<>(OWN);
        if (!settings.spamHeader().isEmpty()) {
            names.add(settings.spamHeader());
        }
        if (settings.resultHeader()) {
            names.add(RESULT);
        }
        return names;
    }

    /** Answers a mail that was not scanned. Returns whether it is deferred. */
    boolean unscanned(Shortfall reason) {
        if (defers(reason)) {
            defer();
            return true;
        }
        pass(() -> {
            add(UNSCANNED, reason.text());
            answers.proceed();
        });
        return false;
    }

    private boolean defers(Shortfall reason) {
        return reason.isPassing() && settings.onFailure() == OnFailure.DEFER;
    }

    private void defer() {
        answers.refuse("451 4.7.1 The mail cannot be scanned now, try again later");
    }

    /**
     * Answers a scanned mail. Returns whether it is deferred because something is missing.
     *
     * @param missing what is missing
     */
    boolean scanned(ScanResult result, Optional<Shortfall> missing) {
        String action = settings.actions().of(result.score());
        // What is missing may lower the score, but only whitelists do that.
        if (missing.filter(this::defers).isPresent() && !action.equals(Actions.REJECT)) {
            defer();
            return true;
        }
        switch (action) {
            case Actions.REJECT -> reject(result, missing);
            case "soft reject" -> answers.refuse("451 4.7.1 Try again later");
            case "rewrite subject" -> pass(() -> {
                describe(result, action, missing);
                rewriteSubject(result.score());
                answers.proceed();
            });
            default -> pass(() -> {
                describe(result, action, missing);
                answers.proceed();
            });
        }
        return false;
    }

    private void reject(ScanResult result, Optional<Shortfall> missing) {
        switch (settings.onReject()) {
            case REJECT -> answers.refuse("550 5.7.1 " + settings.rejectText());
            case DISCARD -> answers.discard();
            case QUARANTINE -> pass(() -> {
                describe(result, Actions.REJECT, missing);
                if (agreed.allows(MilterOffer.QUARANTINE)) {
                    answers.quarantine(settings.rejectText());
                    answers.proceed();
                } else {
                    answers.refuse("550 5.7.1 " + settings.rejectText());
                }
            });
        }
    }

    private void describe(ScanResult result, String action, Optional<Shortfall> missing) {
        boolean spam = action.equals(Actions.REJECT) || action.equals("add header")
                || action.equals("rewrite subject");
        if (spam && !settings.spamHeader().isEmpty()) {
            add(settings.spamHeader(), "Yes");
        }
        add(ACTION, action);
        add(SCORE, score(result.score()) + " / " + score(settings.actions().required()));
        if (!result.symbols().isEmpty()) {
            add(SYMBOLS, String.join("\n\t", result.symbols().stream().map(MilterDecision::symbol).toList()));
        }
        if (settings.resultHeader()) {
            add(RESULT, result(result, action));
        }
        missing.ifPresent(reason -> add(UNSCANNED, reason.text()));
    }

    /** Returns the field of Rspamd, whose lines tools parse. */
    private String result(ScanResult result, String action) {
        StringBuilder text = new StringBuilder("default: ").append(action.equals(Actions.REJECT) ? "True" : "False")
                .append(" [").append(score(result.score())).append(" / ").append(score(settings.actions().required()))
                .append(']');
        result.symbols().forEach(symbol -> text.append(";\n\t").append(symbol(symbol)));
        return text.toString();
    }

    private static String symbol(SymbolResult symbol) {
        return symbol.name() + "(" + score(symbol.score()) + ")[" + String.join(",", symbol.options()) + "]";
    }

    private static String score(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private void rewriteSubject(double score) {
        if (agreed.allows(MilterOffer.CHANGE_HEADERS) && mail.subject().isPresent()) {
            answers.changeHeader(1, "Subject", space() + subject(mail.subject().get().strip(), score));
        } else if (mail.subject().isEmpty()) {
            add("Subject", subject("", score));
        }
    }

    private String subject(String old, double score) {
        StringBuilder text = new StringBuilder();
        String template = settings.subject();
        for (int i = 0; i < template.length(); i++) {
            char next = i + 1 < template.length() ? template.charAt(i + 1) : '\0';
            if (template.charAt(i) == '%' && (next == 's' || next == 'd' || next == '%')) {
                text.append(switch (next) {
                    case 's' -> old;
                    case 'd' -> score(score);
                    default -> "%";
                });
                i++;
            } else {
                text.append(template.charAt(i));
            }
        }
        return text.toString().replace("\r", "").strip();
    }

    /**
     * Deletes forged fields and gives the mail those of the filter. A mail that has more forged fields than a few mail
     * servers on its way can have added is refused: a mail server searches the whole header for each field that it
     * deletes, so thousands of them take seconds of a processor, and those that stayed would pass for ours.
     *
     * @param answer what the mail gets after the deletion
     */
    private void pass(Runnable answer) {
        if (agreed.allows(MilterOffer.CHANGE_HEADERS)) {
            List<String> names = own(settings);
            if (names.stream().mapToInt(mail::count).sum() > MOST_FORGED) {
                answers.refuse("550 5.7.1 The mail has more than " + MOST_FORGED
                        + " fields that only this filter may add");
                return;
            }
            names.forEach(this::delete);
        }
        answer.run();
    }

    /** Deletes the fields of a name, the last one first because the numbers of later ones change. */
    private void delete(String name) {
        for (int number = mail.count(name); number > 0; number--) {
            answers.changeHeader(number, name, "");
        }
    }

    private void add(String name, String value) {
        if (agreed.allows(MilterOffer.ADD_HEADERS)) {
            answers.addHeader(name, space() + printable(value));
        }
    }

    /** Returns the space after the colon, unless the mail server adds it. */
    private String space() {
        return agreed.has(MilterOffer.LEADING_SPACE) ? " " : "";
    }

    private static String printable(String value) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(value.length(), MAX_VALUE); i++) {
            char c = value.charAt(i);
            text.append(c == '\n' || c == '\t' || (c >= ' ' && c <= '~') ? c : '?');
        }
        return text.toString().stripTrailing();
    }
}
