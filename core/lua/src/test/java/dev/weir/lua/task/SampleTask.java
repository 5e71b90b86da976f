package dev.weir.lua.task;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** A sample task with data for every method; the request headers are configurable. */
final class SampleTask implements TaskView {
    private final Map<String, String> request;
    private final List<Address> envelopeFrom;

    SampleTask(Map<String, String> request, List<Address> envelopeFrom) {
        this.request = request;
        this.envelopeFrom = envelopeFrom;
    }

    static SampleTask standard() {
        return new SampleTask(
                Map.of("ip", "192.0.2.1", "user", "joe", "flag", "11", "helo", "mx", "hostname", "mx.example.com",
                        "queue-id", "Q1"),
                List.of(address("bounce@list.example")));
    }

    static Address address(String addr) {
        int at = addr.indexOf('@');
        return new Address(addr, addr.substring(0, at), addr.substring(at + 1), "", "<" + addr + ">");
    }

    @Override
    public List<Address> from(Source source) {
        return source == Source.SMTP ? envelopeFrom : List.of(address("spammer@spam.example"));
    }

    @Override
    public List<Address> recipients(Source source) {
        return source == Source.SMTP ? List.of() : List.of(address("a@b.org"), address("c@d.org"));
    }

    @Override
    public List<Header> headers() {
        return List.of(new Header("Subject", "=?utf-8?Q?H=C3=BC?=", "Hü", "Subject: =?utf-8?Q?H=C3=BC?=\r\n", 0, " "),
                new Header("X-Two", "one", "one", "X-Two:one\r\n", 1, ""),
                new Header("x-two", "two", "two", "x-two:\ttwo\r\n", 2, "\t"));
    }

    @Override
    public @Nullable String messageId() {
        return null;
    }

    @Override
    public String subject() {
        return "Hü";
    }

    @Override
    public byte[] content() {
        return "whole mail".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String digest() {
        return "00ff";
    }

    @Override
    public List<TextPart> textParts() {
        return List.of(new TextPart("Hello World".getBytes(StandardCharsets.UTF_8), 2, false, "en", 20),
                new TextPart(new byte[0], 0, true, "", 5));
    }

    @Override
    public @Nullable HtmlHashes htmlHashes(int index) {
        return index == 1 ? new HtmlHashes("ab".repeat(64), List.of(1L, -1L), 2, 0, 3, 12) : null;
    }

    @Override
    public List<Part> parts() {
        return List.of(new Part("text", "plain", null, false, 20), new Part("application", "pdf", "a.pdf", true, 9));
    }

    @Override
    public List<Url> urls() {
        return List.of(new Url("http://www.example.com/x", "www.example.com", "example.com", "http", ""));
    }

    @Override
    public List<Url> emails() {
        return List.of(new Url("mailto:joe@example.org", "example.org", "example.org", "mailto", "joe"));
    }

    @Override
    public List<Map<String, Object>> received() {
        return List.of(Map.of("from_hostname", "mx.example.com", "flags", Map.of("ssl", true)));
    }

    @Override
    public @Nullable String requestHeader(String lowerCaseName) {
        return request.get(lowerCaseName);
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
        return 15;
    }
}
