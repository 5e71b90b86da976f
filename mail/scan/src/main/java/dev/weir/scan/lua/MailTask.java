package dev.weir.scan.lua;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.html.HtmlSideHashes;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.Shingler;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.hash.url.FoundUrl;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;
import dev.weir.hash.url.UrlSearch;
import dev.weir.lua.task.TaskView;
import org.jspecify.annotations.Nullable;

/**
 * The task object of a mail that was parsed for hashing. Expensive values are computed on first use. Thread-safe.
 *
 * <p>There are no symbols, because no scan took place. Links are found in the text of text parts and in the source of
 * HTML parts. The digest is the first half of the mail's SHA-256, unlike in Rspamd.
 */
public final class MailTask implements TaskView {
    /** The maximum number of links; scripts look at links rather than count millions of them. */
    private static final int MOST_URLS = 2000;

    private static final Pattern HREF = Pattern.compile("\\bhref\\s*+=\\s*+(\"[^\"]*+\"|'[^']*+'|[^\\s>\"']++)",
            Pattern.CASE_INSENSITIVE);

    private final byte[] mail;
    private final AnalyzedMail analyzed;
    private final MailEnvelope envelope;
    private final Once<List<Header>> headers;
    private final Once<List<Url>> links;
    private final Once<List<TextPart>> texts;
    private final Once<List<Address>> mimeFrom;
    private final Once<List<Address>> mimeRecipients;
    private final Once<List<Map<String, Object>>> received;

    /**
     * Creates a task.
     *
     * @param mail the bytes of the mail, not to be modified
     * @param analyzed the same mail, parsed
     */
    public MailTask(byte[] mail, AnalyzedMail analyzed, MailEnvelope envelope) {
        this.mail = mail;
        this.analyzed = analyzed;
        this.envelope = envelope;
        headers = new Once<>(() -> HeaderFields.read(mail));
        links = new Once<>(this::findLinks);
        texts = new Once<>(this::readTexts);
        mimeFrom = new Once<>(() -> addresses("From"));
        mimeRecipients = new Once<>(() -> {
            List<Address> all = new ArrayList<>(addresses("To"));
            all.addAll(addresses("Cc"));
            all.addAll(addresses("Bcc"));
            return all;
        });
        received = new Once<>(
                () -> fields("Received").stream().map(field -> ReceivedField.parse(field.value())).toList());
    }

    /** A value that one thread computes on first use. */
    private static final class Once<T> {
        private final Supplier<T> source;
        private @Nullable T value;

        Once(Supplier<T> source) {
            this.source = source;
        }

        synchronized T get() {
            T known = value;
            if (known == null) {
                known = source.get();
                value = known;
            }
            return known;
        }
    }

    private List<Header> fields(String name) {
        return headers.get().stream().filter(field -> field.name().equalsIgnoreCase(name)).toList();
    }

    private @Nullable Header field(String name) {
        List<Header> all = fields(name);
        return all.isEmpty() ? null : all.getFirst();
    }

    private List<Address> addresses(String header) {
        List<Address> all = new ArrayList<>();
        fields(header).forEach(field -> all.addAll(Addresses.inHeader(field.value())));
        return all;
    }

    @Override
    public List<Address> from(Source source) {
        return switch (source) {
            case SMTP -> Addresses.ofEnvelope(envelope.from());
            case MIME -> mimeFrom.get();
        };
    }

    @Override
    public List<Address> recipients(Source source) {
        return switch (source) {
            case SMTP ->
                envelope.recipients().stream().flatMap(given -> Addresses.ofEnvelope(given).stream()).toList();
            case MIME -> mimeRecipients.get();
        };
    }

    @Override
    public List<Header> headers() {
        return headers.get();
    }

    @Override
    public @Nullable String messageId() {
        Header field = field("Message-ID");
        if (field == null) {
            return null;
        }
        String id = field.value().strip();
        return id.startsWith("<") && id.endsWith(">") ? id.substring(1, id.length() - 1) : id;
    }

    @Override
    public @Nullable String subject() {
        Header field = field("Subject");
        return field == null ? null : field.decoded();
    }

    @Override
    public byte[] content() {
        return mail;
    }

    @Override
    public String digest() {
        try {
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(mail);
            return HexFormat.of().formatHex(whole, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<TextPart> textParts() {
        return texts.get();
    }

    private List<TextPart> readTexts() {
        List<TextPart> list = new ArrayList<>();
        for (MimePart part : analyzed.parts()) {
            AnalyzedText words = analyzed.words(part.number());
            if (words != null) {
                HtmlDocument html = analyzed.html(part.number());
                byte[] text = html != null ? html.visibleText() : source(part);
                list.add(new TextPart(text, words.wordCount(), html != null, words.language(), part.body().length));
            }
        }
        return list;
    }

    @Override
    public @Nullable HtmlHashes htmlHashes(int index) {
        List<MimePart> parts = analyzed.parts().stream().filter(part -> analyzed.words(part.number()) != null).toList();
        HtmlDocument html = analyzed.html(parts.get(index).number());
        List<byte[]> tokens = html == null ? List.of() : Shingler.utf8(html.tokens(true));
        if (html == null || tokens.isEmpty()) {
            return null;
        }
        byte[] key = Shingler.shinglesKeyOf("rspamd");
        HtmlSideHashes side = html.structure().sideHashes(key);
        return new HtmlHashes(HexFormat.of().formatHex(html.structure().digest(key, true)),
                Arrays.stream(Shingler.of(HashAlgorithm.MUMHASH, key).html(tokens)).boxed().toList(),
                side.ctaDomains(), side.allDomains(), side.features(), html.tagsCount());
    }

    private static byte[] source(MimePart part) {
        byte[] utf8 = part.utf8();
        return utf8 != null ? utf8 : part.body();
    }

    @Override
    public List<Part> parts() {
        List<Part> list = new ArrayList<>();
        for (MimePart part : analyzed.parts()) {
            String[] type = part.mediaType().split("/", 2);
            list.add(new Part(type[0], type.length > 1 ? type[1] : "", part.fileName(), part.isAttachment(),
                    part.body().length));
        }
        return list;
    }

    @Override
    public List<Url> urls() {
        return links.get().stream().filter(url -> !url.protocol().equals("mailto")).toList();
    }

    @Override
    public List<Url> emails() {
        return links.get().stream().filter(url -> url.protocol().equals("mailto")).toList();
    }

    private List<Url> findLinks() {
        Map<String, Url> found = new LinkedHashMap<>();
        for (MimePart part : analyzed.parts()) {
            HtmlDocument html = analyzed.html(part.number());
            if (html != null) {
                Matcher links = HREF.matcher(new String(source(part), StandardCharsets.UTF_8));
                while (found.size() < MOST_URLS && links.find()) {
                    add(found, links.group(1).replaceAll("^[\"']|[\"']$", "").replace("&amp;", "&"));
                }
                addFromText(found, html.visibleText(), UrlSearch.STRICT);
            } else if (analyzed.words(part.number()) != null) {
                addFromText(found, source(part), part.siblings() == 2 ? UrlSearch.STRICT : UrlSearch.FULL);
            }
        }
        return List.copyOf(found.values());
    }

    private static void addFromText(Map<String, Url> found, byte[] text, UrlSearch search) {
        UrlFinder finder = new UrlFinder(PublicSuffixes.standard());
        for (FoundUrl url : finder.find(text, text.length, new int[0], search, MOST_URLS - found.size(),
                Effort.unlimited())) {
            add(found, new String(text, url.position(), url.length(), StandardCharsets.UTF_8));
        }
    }

    private static void add(Map<String, Url> found, String text) {
        dev.weir.hash.url.Url url = dev.weir.hash.url.Url.parseHref(text, PublicSuffixes.standard());
        if (url != null) {
            found.putIfAbsent(url.text(), new Url(url.text(), url.host(), url.registrableDomain(), url.scheme(),
                    url.user() == null ? "" : url.user()));
        }
    }

    @Override
    public List<Map<String, Object>> received() {
        return received.get();
    }

    @Override
    public @Nullable String requestHeader(String lowerCaseName) {
        return envelope.header(lowerCaseName);
    }

    @Override
    public List<Symbol> symbols() {
        return List.of();
    }

    @Override
    public double score() {
        return 0;
    }

    @Override
    public double requiredScore() {
        return Double.NaN;
    }
}
