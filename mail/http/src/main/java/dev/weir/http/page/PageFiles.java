package dev.weir.http.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;

import dev.weir.http.access.AccessLevel;
import dev.weir.http.controller.Route;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;

/**
 * The files of the page. They hold no data, so anyone may load them. Only files of this list are served, none from the
 * disk.
 */
public final class PageFiles {
    /**
     * What a page of this server may load: its own files and data, and nothing from elsewhere. No script or style in a
     * document counts, so text from a mail cannot become a program.
     */
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final List<File> FILES = List.of(
            new File("/", "index.html", "text/html; charset=utf-8"),
            new File("/page/app.css", "app.css", "text/css; charset=utf-8"),
            new File("/page/app.js", "app.js", SCRIPT),
            new File("/page/base.js", "base.js", SCRIPT),
            new File("/page/now.js", "now.js", SCRIPT),
            new File("/page/campaigns.js", "campaigns.js", SCRIPT),
            new File("/page/waves.js", "waves.js", SCRIPT),
            new File("/page/why.js", "why.js", SCRIPT),
            new File("/page/undo.js", "undo.js", SCRIPT),
            new File("/page/access.js", "access.js", SCRIPT),
            new File("/page/keys.js", "keys.js", SCRIPT),
            new File("/page/learn.js", "learn.js", SCRIPT),
            new File("/page/htm-preact.js", "htm-preact.js", SCRIPT),
            new File("/page/uplot.js", "uplot.js", SCRIPT),
            new File("/page/uplot.css", "uplot.css", "text/css; charset=utf-8"),
            new File("/page/icon.svg", "icon.svg", "image/svg+xml"));

    private record File(String path, String name, String type) {}

    private PageFiles() {}

    /** Returns the endpoints of all files. */
    public static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        for (File file : FILES) {
            byte[] plain = read(file.name());
            byte[] packed = pack(plain);
            String tag = tag(plain);
            routes.add(new Route(file.path(), AccessLevel.OPEN,
                    call -> answer(file.type(), plain, packed, tag, call.request().head())));
        }
        return routes;
    }

    private static HttpReply answer(String type, byte[] plain, byte[] packed, String tag, HttpHead head) {
        if (head.headers().first("if-none-match").filter(tag::equals).isPresent()) {
            return headed(new HttpReply(304, "Not Modified", type, List.of(), new byte[0]), tag);
        }
        boolean accepts = head.headers().first("accept-encoding").orElse("").contains("gzip");
        HttpReply reply = headed(HttpReply.ok(type, accepts ? packed : plain), tag).with("Vary", "Accept-Encoding");
        return accepts ? reply.with("Content-Encoding", "gzip") : reply;
    }

    private static HttpReply headed(HttpReply reply, String tag) {
        // The browser asks each time whether the file is still the same, so an update takes effect at once.
        return reply.with("Cache-Control", "no-cache").with("ETag", tag).with("Content-Security-Policy", POLICY)
                .with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer")
                .with("Cross-Origin-Opener-Policy", "same-origin")
                .with("Cross-Origin-Resource-Policy", "same-origin");
    }

    private static byte[] read(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing in the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] pack(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException("an array cannot fail", e);
        }
        return out.toByteArray();
    }

    private static String tag(byte[] plain) {
        CRC32C sum = new CRC32C();
        sum.update(plain);
        return "\"" + Long.toHexString(sum.getValue()) + "-" + plain.length + "\"";
    }
}
