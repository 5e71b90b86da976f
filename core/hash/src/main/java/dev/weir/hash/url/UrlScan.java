package dev.weir.hash.url;

import java.util.List;

import com.ibm.icu.lang.UCharacter;
import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.bytes.Utf8;
import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/** A single pass of {@link UrlFinder} over one text. */
final class UrlScan {
    /** Maximum length of a bare domain and of a backward search, in bytes. */
    private static final int MAX_BARE = 253;
    /** Maximum distance in bytes from the start of a URL to its first {@code :}, {@code .} or {@code @}. */
    static final int FIRST_MARK = MAX_BARE + 1;
    /** Maximum length of an address before the {@code @}, in bytes. */
    private static final int MAX_LOCAL = 65;
    /** Maximum length of a link to an address with its scheme and query, in bytes. */
    static final int MAX_MAILTO = 319;
    /** Maximum length of a telephone link including its scheme, in bytes. */
    private static final int MAX_PHONE = 64;
    /** Length of a telephone link, in bytes, below which Rspamd reads the number like a host. */
    private static final int SHORTEST_PHONE = 8;
    private static final int MAX_LABEL = 63;
    /** Cost of one candidate position, in units of {@link Effort#spend}. */
    private static final int STEPS = 32;
    /** Schemes that are searched for with two slashes, but refused. */
    private static final List<String> FOREIGN = List.of("sftp", "news", "nntp", "telnet", "webcal");
    /** Schemes that are searched for without slashes, but refused. */
    private static final List<String> FOREIGN_WITHOUT_SLASHES = List.of("sip", "h323");
    /** Maximum distance of an {@code @} search, in bytes. */
    private static final int MAX_LOOK = 4096;

    private final byte[] text;
    private final int length;
    private final int[] newlines;
    private final UrlSearch search;
    private final PublicSuffixes suffixes;
    private final Effort effort;
    /** Bytes of a path, query or fragment. */
    private final Stretch rest;
    /** Ranges without an {@code @} and without the characters that end a host. */
    private final Stretch user;
    /** Ranges without white space. */
    private final Stretch word;
    /** Ranges without white space and without an {@code @}. */
    private final Stretch password;
    private int at;
    /** End of the last URL found. */
    private int taken;
    /** Index of the first newline position after {@link #at}. */
    private int nextNewline;

    UrlScan(byte[] text, int length, int[] newlines, UrlSearch search, PublicSuffixes suffixes, Effort effort) {
        this.text = text;
        this.length = length;
        this.newlines = newlines;
        this.search = search;
        this.suffixes = suffixes;
        this.effort = effort;
        this.rest = new Stretch(text, UrlBytes.SPACE | UrlBytes.CLOSER);
        this.user = new Stretch(text, UrlBytes.USER_END);
        this.word = new Stretch(text, UrlBytes.SPACE);
        this.password = new Stretch(text, UrlBytes.SPACE | UrlBytes.AT);
    }

    @Nullable
    FoundUrl next() {
        return next(length);
    }

    /**
     * Returns the next URL whose {@code :}, {@code .} or {@code @} is before {@code bound}, or possibly one after it.
     */
    @Nullable
    FoundUrl next(int bound) {
        for (; at < bound; at++) {
            while (at + EightBytes.WIDTH <= bound && !EightBytes.hasAny(EightBytes.at(text, at), '.', ':', '@')) {
                at += EightBytes.WIDTH;
            }
            byte b = at < length ? text[at] : 0;
            if (b != '.' && b != ':' && b != '@') {
                continue;
            }
            effort.spend(STEPS);
            while (nextNewline < newlines.length && newlines[nextNewline] <= at) {
                nextNewline++;
            }
            FoundUrl found = switch (b) {
                case ':' -> scheme(at);
                case '.' -> dot(at);
                default -> mailbox(at);
            };
            if (found != null) {
                taken = found.end();
                at = Math.max(at + 1, taken);
                return found;
            }
        }
        return null;
    }

    /** Returns the end of the line that contains {@code at}: the next newline position or the end of the text. */
    private int lineEnd() {
        return nextNewline < newlines.length ? Math.min(newlines[nextNewline], length) : length;
    }

    private int lineStart() {
        return Math.max(taken, nextNewline == 0 ? 0 : newlines[nextNewline - 1]);
    }

    /**
     * Returns the limit of a URL: the end of the text for one in angle brackets, which may continue on the next line;
     * otherwise the end of the line.
     */
    private int limit(int start) {
        return start > 0 && text[start - 1] == '<' ? length : lineEnd();
    }

    private @Nullable FoundUrl scheme(int colon) {
        int from = lineStart();
        if (endsWith(colon, "http", from) || endsWith(colon, "https", from)) {
            int start = colon - (UrlBytes.lower(text[colon - 1]) == 's' ? 5 : 4);
            return afterAlnum(start) ? null : web(start, colon + 1);
        }
        int foreign = foreign(colon, from);
        if (foreign >= 0) {
            refuseWeb(foreign, colon + 1);
            return null;
        }
        if (endsWith(colon, "ftp", from)) {
            int start = colon - 3;
            return afterAlnum(start) || slashes(colon + 1, length) < 2 ? null : web(start, colon + 1);
        }
        if (endsWith(colon, "mailto", from)) {
            return mailto(colon - 6, colon + 1);
        }
        if (endsWith(colon, "tel", from)) {
            return phone(colon - 3, colon + 1);
        }
        if (endsWith(colon, "callto", from)) {
            return phone(colon - 6, colon + 1);
        }
        if (endsWith(colon, "file", from)) {
            return file(colon - 4, colon + 1);
        }
        return null;
    }

    /** Returns the start of a scheme before {@code colon} that is searched for, but refused; −1 without one. */
    private int foreign(int colon, int from) {
        boolean slashes = colon + 2 < length && text[colon + 1] == '/' && text[colon + 2] == '/';
        int start = slashes ? start(FOREIGN, colon, from) : -1;
        return start >= 0 ? start : start(FOREIGN_WITHOUT_SLASHES, colon, from);
    }

    private int start(List<String> schemes, int colon, int from) {
        for (String scheme : schemes) {
            if (endsWith(colon, scheme, from) && !afterAlnum(colon - scheme.length())) {
                return colon - scheme.length();
            }
        }
        return -1;
    }

    /** Reads a URL with a refused scheme. Only a well-formed one covers what is in it. */
    private void refuseWeb(int start, int from) {
        int limit = limit(start);
        int slashes = slashes(from, limit);
        Authority a = slashes == 1
                ? null
                : Authority.read(text, from + slashes, limit, userEnd(from + slashes, limit, false), true, suffixes);
        if (a != null) {
            int end = pathEnd(a.end(), limit);
            if (!isMarkup(start, end)) {
                refuse(end);
            }
        }
    }

    /** Skips the rest of a URL that is well-formed but refused: what is in it is no URL or address either. */
    private void refuse(int end) {
        at = Math.max(at, end - 1);
    }

    /** Reads a URL with three slashes and a host, which ends before a slash, a colon or an {@code @}. */
    private @Nullable FoundUrl file(int start, int from) {
        int limit = limit(start);
        if (slashes(from, limit) != 3 || text[from + 2] != '/' || text[from] != '/' || text[from + 1] != '/') {
            return null;
        }
        int host = from + 3;
        int stop = host;
        while (stop < limit && stop - host <= Hosts.MAX_LENGTH && text[stop] != '/' && text[stop] != ':'
                && text[stop] != '@' && text[stop] != '\\') {
            stop++;
        }
        Authority a = Authority.read(text, host, stop, Authority.NO_USER, true, suffixes);
        if (a == null || a.domain() == null) {
            return null;
        }
        int end = a.end() < limit && text[a.end()] == '?' ? restEnd(a.end(), limit) : a.end();
        return new FoundUrl(start, end - start, a.domain());
    }

    private @Nullable FoundUrl web(int start, int from) {
        int limit = limit(start);
        int slashes = slashes(from, limit);
        return slashes == 1 ? null : authority(start, from + slashes, limit, false);
    }

    private int slashes(int from, int limit) {
        int i = from;
        while (i < limit && (text[i] == '/' || text[i] == '\\')) {
            i++;
        }
        return i - from;
    }

    /** Reads the host and the rest of the URL. */
    private @Nullable FoundUrl authority(int start, int from, int limit, boolean schemeless) {
        Authority a = Authority.read(text, from, limit, userEnd(from, limit, schemeless), true, suffixes);
        if (a == null) {
            return null;
        }
        int end = pathEnd(a.end(), limit);
        if (isMarkup(start, end)) {
            return null;
        }
        if (a.domain() == null) {
            refuse(end);
            return null;
        }
        return new FoundUrl(start, end - start, a.domain());
    }

    /** Returns the end of the path, query and fragment that begin at {@code end}. */
    private int pathEnd(int end, int limit) {
        boolean rest = end < limit
                && (text[end] == '/' || text[end] == '\\' || text[end] == '?' || text[end] == '#');
        return rest ? restEnd(end, limit) : end;
    }

    /** Whether a {@code >} closes a tag: it is at the end or before white space, and no {@code <} opened the URL. */
    private boolean isMarkup(int start, int end) {
        return end < length && text[end] == '>' && (end + 1 >= length || UrlBytes.space(text[end + 1]))
                && (start == 0 || text[start - 1] != '<');
    }

    private @Nullable FoundUrl dot(int dot) {
        int from = lineStart();
        if (endsWith(dot, "www", from)) {
            int start = dot - 3;
            boolean free = startsLine(start) || text[start - 1] < 0 || opensWord(text[start - 1])
                    || followsLineOpener(start);
            if (free && dot + 1 < length && UrlBytes.alnum(text[dot + 1])) {
                FoundUrl found = authority(start, start, limit(start), true);
                if (found != null) {
                    return named(found);
                }
            }
        } else if (endsWith(dot, "ftp", from) && !afterAlnum(dot - 3)) {
            FoundUrl found = authority(dot - 3, dot - 3, limit(dot - 3), true);
            if (found != null) {
                return named(found);
            }
        }
        return search == UrlSearch.FULL ? bareDomain(dot, from) : null;
    }

    /** Finds a bare name that ends in a public suffix. */
    private @Nullable FoundUrl bareDomain(int dot, int from) {
        int end = labelEnd(dot + 1);
        if (end - dot < 3 || !endsInSuffix(dot + 1, end)) {
            return null;
        }
        int start = dot;
        int bound = Math.max(from, end - MAX_BARE - 1);
        while (start > bound && UrlBytes.domain(text[start - 1])) {
            if (text[start - 1] == '.' && text[start] >= 0 && !UrlBytes.alnum(text[start])) {
                return null; // a label must begin with a letter or digit
            }
            start--;
        }
        if (start == dot || !UrlBytes.alnum(text[start]) || !(startsLine(start) || opensWord(text[start - 1]))) {
            return null;
        }
        if (followsLineOpener(start)) {
            return null;
        }
        FoundUrl found = authority(start, start, limit(start), true);
        return found == null ? null : named(found);
    }

    /**
     * Marks a URL that begins with its host and that Rspamd finds twice, because its last label, any one character and
     * the word behind it form a suffix: {@code net.to} in {@code see a.net to}.
     */
    private FoundUrl named(FoundUrl found) {
        int label = found.end();
        while (label > found.position() && (UrlBytes.alnum(text[label - 1]) || text[label - 1] == '-')) {
            label--;
        }
        return search == UrlSearch.FULL && label > found.position() && text[label - 1] == '.'
                && endsInJoined(label, found.end())
                        ? new FoundUrl(found.position(), found.length(), found.domain(), true)
                        : found;
    }

    private int labelEnd(int from) {
        int end = from;
        while (end < length && end - from < MAX_LABEL && (UrlBytes.alnum(text[end]) || text[end] == '-')) {
            end++;
        }
        return end;
    }

    /** Whether the label is a public suffix, alone or with the label behind any one character. */
    private boolean endsInSuffix(int from, int end) {
        if (endsBare(end)) {
            return suffixes.endName(lower(from, end), null);
        }
        return text[end] != '.' && endsInJoined(from, end); // at a dot, the next dot decides
    }

    /** Whether a label and the one behind any one character are a public suffix together. */
    private boolean endsInJoined(int from, int end) {
        int second = end + 1;
        while (second < length && (text[second] & 0xc0) == 0x80) {
            second++;
        }
        int secondEnd = labelEnd(second);
        return secondEnd > second && endsBare(secondEnd)
                && suffixes.endName(lower(from, end), lower(second, secondEnd));
    }

    private boolean endsBare(int end) {
        if (end >= lineEnd()) {
            return true;
        }
        byte b = text[end];
        if (b == '.') {
            if (end + 1 >= lineEnd()) {
                return end + 1 < length; // a full stop at the end of the text invalidates the name before it
            }
            byte after = text[end + 1];
            return UrlBytes.space(after) || after == '/' || after == '?' || after == ':';
        }
        return b == '/' || b == ':' || UrlBytes.space(b) || UrlBytes.closer(b);
    }

    private String lower(int from, int to) {
        char[] chars = new char[to - from];
        for (int i = from; i < to; i++) {
            chars[i - from] = (char) UrlBytes.lower(text[i]);
        }
        return new String(chars);
    }

    private @Nullable FoundUrl mailbox(int at) {
        int start = at;
        int bound = Math.max(nextNewline == 0 ? 0 : newlines[nextNewline - 1], at - MAX_LOCAL - 1);
        while (start > bound && UrlBytes.mailSafe(text[start - 1])) {
            start--;
        }
        // An address may begin in the URL before it: in a@b.com,c@d.com, the second one is b.com,c@d.com.
        if (at - start > MAX_LOCAL || at == start || !UrlBytes.alnum(text[at - 1])) {
            return null;
        }
        while (!UrlBytes.alnum(text[start])) {
            start++;
        }
        FoundUrl found = mailHost(start, at, lineEnd(), true);
        return found == null || found.domain().isEmpty() ? null : found;
    }

    private @Nullable FoundUrl mailto(int start, int from) {
        int limit = Math.min(limit(start), start + MAX_MAILTO);
        int local = from + (slashes(from, limit) == 2 ? 2 : 0);
        int at = local;
        int bound = Math.min(limit, local + MAX_LOCAL + 1);
        while (at < bound && UrlBytes.mailSafe(text[at])) {
            at++;
        }
        if (at == local || at >= limit || text[at] != '@') {
            return null;
        }
        FoundUrl found = mailHost(start, at, limit, false);
        if (found == null) {
            return null;
        }
        boolean query = found.end() < limit && text[found.end()] == '?';
        int end = query ? queryEnd(found.end() + 1, limit) : found.end();
        // An empty query invalidates the link.
        if (found.domain().isEmpty() || (query && end == found.end() + 1)) {
            refuse(end);
            return null;
        }
        return new FoundUrl(start, end - start, found.domain());
    }

    /** Returns the end of the query of a link to an address, which also ends before a fragment. */
    private int queryEnd(int from, int limit) {
        int end = restEnd(from, limit);
        int i = from;
        while (i < end && text[i] != '#') {
            i++;
        }
        return i;
    }

    /** Returns the end of path, query and fragment: white space, a closing bracket or an apostrophe. */
    private int restEnd(int from, int limit) {
        return rest.end(from, limit);
    }

    /**
     * Returns the position of the {@code @} after user information. The result is {@link Authority#NO_USER} if the text
     * starts with the host. It is {@link Authority#BROKEN} if an {@code @} precedes any {@code / ? #} on the same line
     * but follows text that cannot be user information. Rspamd takes all of {@code http://a.com joe@b.com} as one URL
     * and then rejects it. Only a name that could be a host has a password with slashes.
     *
     * @param schemeless whether the URL has no scheme; an {@code @} after white space then has no effect
     */
    private int userEnd(int from, int to, boolean schemeless) {
        int limit = Math.min(to, from + MAX_LOOK + 2);
        int at = user.end(from, limit);
        int secret = passwordStart(from, at);
        int head = at;
        int tail = at;
        if (secret >= 0) {
            // The first character of a password may be anything, such as the space in "a.com: https://joe@b.com".
            int first = secret < limit && text[secret] != '@' ? secret + 1 : secret;
            int end = password.end(first, Math.min(to, secret + Authority.MAX_USER + 1));
            if (end - secret > Authority.MAX_USER) {
                return Authority.NO_USER;
            }
            boolean named = Authority.opensHost(text[from]);
            if (end < limit && text[end] == '@' && (named || user.end(first, end) == end)) {
                at = end;
                head = secret;
                tail = first;
            }
        }
        if (at >= limit || text[at] != '@'
                || (schemeless && (word.end(from, head) < head || word.end(tail, at) < at))) {
            return Authority.NO_USER;
        }
        if (schemeless && at - from > Authority.MAX_USER) {
            return Authority.BROKEN;
        }
        return Authority.isGraphic(text, from, head) && Authority.isGraphic(text, tail, at) ? at : Authority.BROKEN;
    }

    /** Returns the position after the first colon before {@code end}, or −1 if there is none or if a port follows. */
    private int passwordStart(int from, int end) {
        int colon = from;
        int bound = Math.min(end, from + Hosts.MAX_LENGTH + 1);
        while (colon < bound && UrlBytes.urlSafe(text[colon])) {
            colon++;
        }
        if (colon >= bound || text[colon] != ':') {
            return -1;
        }
        int digits = colon + 1;
        while (digits < end && UrlBytes.digit(text[digits])) {
            digits++;
        }
        boolean port = digits > colon + 1 && (digits == length || text[digits] != '@') && digits == end;
        return port ? -1 : colon + 1;
    }

    /**
     * Reads the host after the {@code @} of an address. The domain of the result is empty if no suffix is known.
     *
     * @param bare whether the address has no scheme; it then ends in an ASCII letter or digit, or with its line
     */
    private @Nullable FoundUrl mailHost(int start, int at, int limit, boolean bare) {
        int end = at + 1;
        if (end >= limit || !(bare ? UrlBytes.alnum(text[end]) : UrlBytes.domain(text[end]))) {
            return null;
        }
        int bound = Math.min(limit, end + Hosts.MAX_LENGTH + 2);
        while (end < bound && UrlBytes.domain(text[end])) {
            end++;
        }
        while (bare && end < limit && !UrlBytes.alnum(text[end - 1])) {
            end--;
        }
        String host = Hosts.normalise(text, at + 1, end);
        String domain = host == null ? null : suffixes.registrableDomain(Hosts.withoutDot(host));
        return new FoundUrl(start, end - start, domain == null ? "" : domain);
    }

    /**
     * Finds a telephone link, which takes the rest of its line: {@code Tel: +49 89 1234, Fax: 567} is one link, and so
     * is the end of {@code hotel: 12 rooms}.
     */
    private @Nullable FoundUrl phone(int start, int from) {
        int limit = limit(start);
        int slashes = slashes(from, limit);
        if (slashes == 1) {
            return null;
        }
        int i = from + slashes;
        boolean digitFirst = i < limit && UrlBytes.digit(text[i]);
        while (i < limit && UrlBytes.space(text[i])) {
            i++;
        }
        int number = i;
        if (i < limit && text[i] == '+') {
            i++;
        }
        if (i >= limit || (!UrlBytes.digit(text[i]) && text[i] != '(' && text[i] != '%')) {
            return null;
        }
        StringBuilder digits = new StringBuilder();
        boolean open = true;
        boolean malformed = false;
        while (open && i < limit) {
            if (i - start > MAX_PHONE) {
                return null;
            }
            int size = Utf8.sequence(text, i, limit);
            int c = size == 0 ? 0 : Utf8.codePoint(text, i, size);
            open = c != 0 && !endsPhone(c);
            if (UrlBytes.digit(text[i])) {
                digits.append((char) text[i]);
            }
            malformed = size == 0;
            i += Math.max(1, size); // the character that ends the link belongs to it
        }
        int end = i;
        while (UrlBytes.space(text[i - 1])) {
            i--;
        }
        boolean readAsHost = i - start < SHORTEST_PHONE;
        if (digits.isEmpty() || (readAsHost && (!digitFirst || hasGap(from, i)))
                || !isName(number, malformed ? end - 1 : i)) {
            refuse(end);
            return null;
        }
        return new FoundUrl(start, end - start, digits.toString());
    }

    /** Whether a character ends a telephone link. Rspamd compares the low byte of the character only. */
    private static boolean endsPhone(int c) {
        return UrlBytes.closer((byte) c) && c != ')' && c != ']' && !UCharacter.isDigit(c)
                && !UCharacter.isUWhiteSpace(c);
    }

    private boolean hasGap(int from, int to) {
        int i = from;
        while (i < to && text[i] != '+' && !UrlBytes.space(text[i])) {
            i++;
        }
        return i < to;
    }

    /** Whether the text has only characters that internationalized names may have. */
    private boolean isName(int from, int to) {
        int i = from;
        while (i < to && text[i] >= 0) {
            i++;
        }
        return i == to || Hosts.decode(text, from, to) != null;
    }

    /**
     * Whether {@code start} is the second byte of a line, where Rspamd is off by one. It takes a bracket at the start
     * of a line as the first byte of a bare name, which is then invalid. It accepts any first byte of a line before
     * {@code www.}. On the last line it uses the line end before the correct one.
     */
    private boolean followsLineOpener(int start) {
        int before = nextNewline - (nextNewline == newlines.length ? 2 : 1);
        return before >= 0 && newlines[before] == start - 1;
    }

    private boolean startsLine(int start) {
        return start == 0 || (nextNewline > 0 && newlines[nextNewline - 1] == start);
    }

    private boolean afterAlnum(int start) {
        return start > 0 && UrlBytes.alnum(text[start - 1]);
    }

    private static boolean opensWord(byte b) {
        return UrlBytes.space(b) || b == '(' || b == '{' || b == '[' || b == '<' || b == '\'';
    }

    /** Whether the bytes before {@code end} and not before {@code from} are {@code name} (lower case) in any case. */
    private boolean endsWith(int end, String name, int from) {
        int start = end - name.length();
        if (start < from) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (UrlBytes.lower(text[start + i]) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
