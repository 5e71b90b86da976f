package dev.weir.http.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpStatus;

/** The head of a request while Jetty's parser reads it. For one request and one thread. */
public final class HeadBuilder {
    private final String method;
    private final String target;
    private final boolean rspamc;
    private final int most;
    private final List<HttpHeaders.Field> fields = new ArrayList<>();

    /**
     * Creates a head without headers.
     *
     * @param target the target of the request line as it was sent
     * @param rspamc whether the request line was one of RSPAMC
     * @param most maximum number of headers, and of arguments in the query
     */
    public HeadBuilder(String method, String target, boolean rspamc, int most) {
        this.method = method;
        this.target = target;
        this.rspamc = rspamc;
        this.most = most;
    }

    /**
     * Adds a header.
     *
     * @throws org.eclipse.jetty.http.HttpException.RuntimeException for the parser if there are too many
     */
    public void add(HttpField field) {
        if (fields.size() >= most) {
            throw new org.eclipse.jetty.http.HttpException.RuntimeException(
                    HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431, "Too many request headers");
        }
        fields.add(new HttpHeaders.Field(field.getLowerCaseName(), text(field.getValue())));
    }

    /** Returns a value as UTF-8. The parser makes a character of each byte. */
    private static String text(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) > 0x7f) {
                return new String(value.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).strip();
            }
        }
        return value.strip();
    }

    /**
     * Returns the head.
     *
     * @throws HttpException 400 if the method or the target cannot be used
     */
    public HttpHead build() throws HttpException {
        if (HttpHead.isRspamc(method) != rspamc) {
            throw new HttpException(400, "Malformed request line");
        }
        String local = local(target);
        int mark = local.indexOf('?');
        return new HttpHead(method, Percent.decode(mark < 0 ? local : local.substring(0, mark), false),
                mark < 0 ? HttpHeaders.NONE : Percent.query(local.substring(mark + 1), most),
                new HttpHeaders(fields));
    }

    /** Returns path and query of a target, which a client of a proxy sends with a scheme and a host before them. */
    private static String local(String target) throws HttpException {
        if (target.startsWith("/")) {
            return target;
        }
        if (target.equals("*")) {
            return "/";
        }
        int scheme = target.indexOf("://");
        if (scheme <= 0) {
            throw new HttpException(400, "Malformed request target");
        }
        int slash = target.indexOf('/', scheme + 3);
        return slash < 0 ? "/" : target.substring(slash);
    }
}
