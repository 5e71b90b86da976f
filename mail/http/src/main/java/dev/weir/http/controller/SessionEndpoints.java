package dev.weir.http.controller;

import dev.weir.http.access.AccessControl;
import dev.weir.http.access.AccessDecision;
import dev.weir.http.access.Sessions;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;
import dev.weir.http.server.Client;

/**
 * The endpoints {@code /api/session}, {@code /api/login} and {@code /api/logout}: how a browser gets and ends access.
 */
final class SessionEndpoints {
    private final AccessControl access;
    private final String version;

    SessionEndpoints(AccessControl access, String version) {
        this.access = access;
        this.version = version;
    }

    /**
     * Tells a browser what it may do. A browser that may do this without a password gets a session without rights, only
     * for the session's token. Anyone may ask, and asking is no failed login.
     */
    HttpReply session(HttpHead head, Client client) {
        AccessDecision decision = access.withoutPassword(head, client);
        if (!decision.isGranted()) {
            return reply(head, decision, "", false);
        }
        return access.session(head).map(session -> reply(head, decision, session.token(), false)).orElseGet(() -> {
            Sessions.Session session = access.begin(null, "");
            return cookie(reply(head, decision, session.token(), false), head, session.id(),
                    Sessions.LONGEST.toSeconds());
        });
    }

    /** Begins a session for the password of the request, which was accepted. */
    HttpReply login(HttpHead head, AccessDecision decision, String credential) {
        // Without a password that was compared, the session gives no rights: the address of the client does.
        boolean given = credential.endsWith("password") && !credential.startsWith("no ");
        Sessions.Session session = access.begin(given ? decision : null, credential);
        return cookie(reply(head, decision, session.token(), given), head, session.id(),
                Sessions.LONGEST.toSeconds());
    }

    HttpReply logout(HttpHead head) {
        access.end(head);
        return cookie(HttpReply.ok(HttpReply.JSON, "{}"), head, "", 0);
    }

    private HttpReply reply(HttpHead head, AccessDecision decision, String token, boolean withPassword) {
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeStringProperty("access", switch (decision) {
                case FULL -> "change";
                case READ_ONLY -> "read";
                default -> "none";
            });
            out.writeStringProperty("token", token);
            out.writeBooleanProperty("by_password",
                    withPassword || access.session(head).map(session -> session.granted() != null).orElse(false));
            out.writeStringProperty("version", version);
        }));
    }

    private static HttpReply cookie(HttpReply reply, HttpHead head, String id, long seconds) {
        // Behind a proxy with TLS, the browser must not send the cookie without it.
        boolean secure = head.outer().first("x-forwarded-proto").filter("https"::equalsIgnoreCase).isPresent();
        return reply.with("Set-Cookie", Sessions.COOKIE + "=" + id + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
                + seconds + (secure ? "; Secure" : ""));
    }
}
