package dev.weir.hash.url;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/** One pass over one text: the state of {@link UrlFinder}. */
final class UrlScan {
    /** Longest bare domain and longest stretch that is looked back over, in bytes. */
    private static final int MAX_BARE = 253;
    /** The first {@code :}, {@code .} or {@code @} of a URL stands before this, in bytes from where the URL begins. */
    static final int FIRST_MARK = MAX_BARE + 1;
    /** Longest part of an address before the {@code @}, in bytes. */
    private static final int MAX_LOCAL = 65;
    /** Longest telephone link, with its scheme, in bytes. */
    private static final int MAX_PHONE = 64;
    /**
     * What follows the scheme of a telephone link is taken for one from this length on, unless it is nearly all digits.
     */
    private static final int SHORTEST_PHONE = 4;
    private static final int MAX_LABEL = 63;
    /** What looking at one place costs, counted as {@link Effort#spend} does. */
    private static final int STEPS = 32;
    /** How far an {@code @} is looked for, in bytes. */
    private static final int MAX_LOOK = 4096;

    private final byte[] text;
    private final int length;
    private final int[] newlines;
    private final UrlSearch search;
    private final PublicSuffixes suffixes;
    private final Effort effort;
    /** What a path, a query and a fragment may have. */
    private final Stretch rest;
    /** What has no {@code @} and none of the marks that end a host. */
    private final Stretch user;
    /** What has no white space. */
    private final Stretch word;
    private int at;
    /** End of the last URL found. */
    private int taken;
    /** Index of the first newline position behind {@link #at}. */
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
    }

    @Nullable
    FoundUrl next() {
        return next(length);
    }

    /** The next URL whose {@code :}, {@code .} or {@code @} stands before {@code bound}; perhaps one behind it. */
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

    /** The line that {@code at} lies in ends here: at the next newline position, or at the end of the text. */
    private int lineEnd() {
        return nextNewline < newlines.length ? Math.min(newlines[nextNewline], length) : length;
    }

    private int lineStart() {
        return Math.max(taken, nextNewline == 0 ? 0 : newlines[nextNewline - 1]);
    }

    /** A URL in angle brackets goes on over the end of its line. */
    private int limit(int start) {
        return start > 0 && text[start - 1] == '<' ? length : lineEnd();
    }

    private @Nullable FoundUrl scheme(int colon) {
        int from = lineStart();
        if (endsWith(colon, "http", from) || endsWith(colon, "https", from)) {
            int start = colon - (UrlBytes.lower(text[colon - 1]) == 's' ? 5 : 4);
            return afterAlnum(start) ? null : web(start, colon + 1);
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
        if ((endsWith(colon, "sip", from) && !afterAlnum(colon - 3))
                || (endsWith(colon, "h323", from) && !afterAlnum(colon - 4))) {
            // Known and then refused: what follows is not looked at as an address either.
            at = Math.max(colon, restEnd(colon + 1, limit(colon)) - 1);
        }
        return null;
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

    /** Reads host and all that belongs to the URL after it. */
    private @Nullable FoundUrl authority(int start, int from, int limit, boolean schemeless) {
        Authority a = Authority.read(text, from, limit, userEnd(from, limit, schemeless), true, suffixes);
        if (a == null || a.domain() == null) {
            return null;
        }
        int end = a.end();
        if (end < limit && (text[end] == '/' || text[end] == '\\' || text[end] == '?' || text[end] == '#')) {
            end = restEnd(end, limit);
        }
        return isMarkup(start, end) ? null : new FoundUrl(start, end - start, a.domain());
    }

    /**
     * A {@code >} before white space or at the end closes a tag rather than a URL, unless the URL was opened by
     * {@code <}.
     */
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
                    return found;
                }
            }
        } else if (endsWith(dot, "ftp", from) && !afterAlnum(dot - 3)) {
            FoundUrl found = authority(dot - 3, dot - 3, limit(dot - 3), true);
            if (found != null) {
                return found;
            }
        }
        return search == UrlSearch.FULL ? bareDomain(dot, from) : null;
    }

    /** A name that ends in a public suffix and stands by itself. */
    private @Nullable FoundUrl bareDomain(int dot, int from) {
        int end = dot + 1;
        while (end < length && end - dot <= MAX_LABEL && (UrlBytes.alnum(text[end]) || text[end] == '-')) {
            end++;
        }
        if (end - dot < 3 || !endsBare(end) || !suffixes.isTopLevel(lower(dot + 1, end))) {
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
        return authority(start, start, limit(start), true);
    }

    private boolean endsBare(int end) {
        if (end >= lineEnd()) {
            return true;
        }
        byte b = text[end];
        if (b == '.') {
            if (end + 1 >= lineEnd()) {
                return end + 1 < length; // a full stop that ends the text spoils the name in front of it
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
        int bound = Math.max(lineStart(), at - MAX_LOCAL - 1);
        while (start > bound && UrlBytes.mailSafe(text[start - 1])) {
            start--;
        }
        if (at - start > MAX_LOCAL || at == start || !UrlBytes.alnum(text[at - 1])) {
            return null;
        }
        while (!UrlBytes.alnum(text[start])) {
            start++;
        }
        return mailHost(start, at, lineEnd());
    }

    private @Nullable FoundUrl mailto(int start, int from) {
        int limit = limit(start);
        int local = from + (slashes(from, limit) == 2 ? 2 : 0);
        int at = local;
        int bound = Math.min(limit, local + MAX_LOCAL + 1);
        while (at < bound && UrlBytes.mailSafe(text[at])) {
            at++;
        }
        if (at == local || at >= limit || text[at] != '@') {
            return null;
        }
        FoundUrl found = mailHost(start, at, limit);
        if (found == null || found.end() >= limit || text[found.end()] != '?') {
            return found;
        }
        int end = restEnd(found.end(), limit);
        return new FoundUrl(start, end - start, found.domain());
    }

    /** Path, query and fragment go on to white space, a closing bracket or an apostrophe. */
    private int restEnd(int from, int limit) {
        return rest.end(from, limit);
    }

    /**
     * The {@code @} after user information; {@link Authority#NO_USER} if the host begins at once,
     * {@link Authority#BROKEN} if an {@code @} stands before any {@code / ? #} on the same line, but not after
     * something that can be user information. The reference takes all of {@code http://a.com joe@b.com} for one URL,
     * and then finds that it is none.
     *
     * @param schemeless no scheme was written: an {@code @} behind white space then means nothing
     */
    private int userEnd(int from, int to, boolean schemeless) {
        int limit = Math.min(to, from + MAX_LOOK + 2);
        int at = user.end(from, limit);
        if (at >= limit || text[at] != '@' || (schemeless && word.end(from, at) < at)) {
            return Authority.NO_USER;
        }
        if (at - from > Authority.MAX_USER) {
            return Authority.BROKEN;
        }
        for (int i = from; i < at; i++) {
            if (text[i] <= ' ') {
                return Authority.BROKEN;
            }
        }
        return at;
    }

    private @Nullable FoundUrl mailHost(int start, int at, int limit) {
        int end = at + 1;
        if (end >= limit || !UrlBytes.alnum(text[end])) {
            return null;
        }
        int bound = Math.min(limit, end + Hosts.MAX_LENGTH + 2);
        while (end < bound && UrlBytes.domain(text[end])) {
            end++;
        }
        while (!UrlBytes.alnum(text[end - 1])) {
            end--;
        }
        for (int i = at + 1; i < end; i++) {
            if (text[i] == '%' && (i + 2 >= end || UrlBytes.hex(text[i + 1]) < 0 || UrlBytes.hex(text[i + 2]) < 0)) {
                return null;
            }
        }
        String host = Hosts.normalise(text, at + 1, end);
        String domain = host == null ? null : suffixes.registrableDomain(host);
        return domain == null ? null : new FoundUrl(start, end - start, domain);
    }

    /**
     * A telephone link takes all that follows on its line: {@code Tel: +49 89 1234, Fax: 567} is one, and the
     * {@code hotel: 12 rooms} too.
     */
    private @Nullable FoundUrl phone(int start, int from) {
        int limit = Math.min(limit(start), start + MAX_PHONE + 1);
        int i = from;
        if (slashes(i, limit) == 2) {
            i += 2;
        }
        while (i < limit && UrlBytes.space(text[i])) {
            i++;
        }
        if (i < limit && text[i] == '+') {
            i++;
        }
        if (i >= limit || (!UrlBytes.digit(text[i]) && text[i] != '(' && text[i] != '%')) {
            return null;
        }
        StringBuilder digits = new StringBuilder();
        while (i < limit && text[i] != '\'' && text[i] != '>' && text[i] != '}') {
            if (UrlBytes.digit(text[i])) {
                digits.append((char) text[i]);
            }
            i++;
        }
        if (i - start > MAX_PHONE || digits.isEmpty()) {
            return null;
        }
        int content = i;
        while (UrlBytes.space(text[content - 1])) {
            content--;
        }
        content -= from;
        if (i < limit && text[i] == '\'') {
            i++; // an apostrophe belongs to the telephone link that it ends
        }
        boolean tooShort = content < SHORTEST_PHONE && (!UrlBytes.digit(text[from]) || content - digits.length() > 1);
        return tooShort ? null : new FoundUrl(start, i - start, digits.toString());
    }

    /**
     * True for the second byte of a line: the reference is off by one there. It takes a bracket that opens a line for
     * the first byte of a bare name, which then is none, and lets any byte that opens a line stand before {@code www.}.
     * On the last line it looks at the line end before the one that it should look at.
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

    /** True if the bytes before {@code end}, not before {@code from}, are {@code name} (lower case) in any case. */
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
