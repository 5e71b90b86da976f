package dev.weir.http.access;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class SessionsTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final Sessions sessions = new Sessions(new SecureRandom(), nanos::get, AccessRules.IDLE);

    private static HttpHead head(String name, String value) {
        return new HttpHead("GET", "/", HttpHeaders.NONE,
                new HttpHeaders(List.of(new HttpHeaders.Field(name.toLowerCase(Locale.ROOT), value))));
    }

    private static HttpHead cookie(Sessions.Session session) {
        return head("Cookie", "theme=dark; " + Sessions.COOKIE + "=" + session.id());
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void endsWithoutRequestsForSomeTime() {
        Sessions.Session session = sessions.begin(AccessDecision.FULL, "password");
        pass(AccessRules.IDLE);
        assertThat(sessions.of(cookie(session))).isPresent();
        pass(AccessRules.IDLE);
        assertThat(sessions.of(cookie(session))).as("a request renews it").isPresent();
        pass(AccessRules.IDLE.plusNanos(1));
        assertThat(sessions.of(cookie(session))).isEmpty();
        assertThat(sessions.of(cookie(session))).as("and it stays over").isEmpty();
    }

    @Test
    void anotherIdleTimeHoldsForSessionsThatHaveBegun() {
        Sessions.Session session = sessions.begin(AccessDecision.FULL, "password");
        sessions.idle(Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));
        assertThat(sessions.of(cookie(session))).isPresent();
        pass(Duration.ofSeconds(61));
        assertThat(sessions.of(cookie(session))).isEmpty();
    }

    @Test
    void endsAfterTheLongestTimeInAnyCase() {
        Sessions.Session session = sessions.begin(AccessDecision.FULL, "password");
        for (long i = 0; i < Sessions.LONGEST.dividedBy(AccessRules.IDLE); i++) {
            pass(AccessRules.IDLE);
            assertThat(sessions.of(cookie(session))).isPresent();
        }
        pass(Duration.ofNanos(1));
        assertThat(sessions.of(cookie(session))).isEmpty();
    }

    @Test
    void theOldestEndsIfThereAreTooMany() {
        Sessions.Session first = sessions.begin(AccessDecision.FULL, "password");
        Sessions.Session second = sessions.begin(AccessDecision.FULL, "password");
        for (int i = 1; i < 1_000; i++) {
            sessions.begin(AccessDecision.READ_ONLY, "password");
        }
        assertThat(sessions.of(cookie(first))).isEmpty();
        assertThat(sessions.of(cookie(second))).isPresent();
    }

    /** Where reading is free, anyone may begin sessions. */
    @Test
    void sessionsThatPermitNothingDoNotEndThoseWithAPassword() {
        Sessions.Session administrator = sessions.begin(AccessDecision.FULL, "password");
        Sessions.Session reader = sessions.begin(null, "");
        Sessions.Session last = reader;
        for (int i = 0; i < 2_000; i++) {
            last = sessions.begin(null, "");
        }
        assertThat(sessions.of(cookie(administrator))).isPresent();
        assertThat(sessions.of(cookie(reader))).isEmpty();
        assertThat(sessions.of(cookie(last))).isPresent();
    }

    @Test
    void logoutEndsOneSessionAndOtherPasswordsEndAll() {
        Sessions.Session first = sessions.begin(AccessDecision.FULL, "password");
        Sessions.Session second = sessions.begin(AccessDecision.READ_ONLY, "password");
        sessions.end(cookie(first));
        assertThat(sessions.of(cookie(first))).isEmpty();
        assertThat(sessions.of(cookie(second))).map(Sessions.Session::granted).contains(AccessDecision.READ_ONLY);
        sessions.clear();
        assertThat(sessions.of(cookie(second))).isEmpty();
    }

    @Test
    void theTokenIsNotTheCookie() {
        Sessions.Session session = sessions.begin(AccessDecision.FULL, "password");
        assertThat(Sessions.hasToken(head(Sessions.TOKEN, session.token()), session)).isTrue();
        assertThat(Sessions.hasToken(head(Sessions.TOKEN, session.id()), session)).isFalse();
        assertThat(Sessions.hasToken(cookie(session), session)).isFalse();
        assertThat(sessions.of(head("Cookie", Sessions.COOKIE + "=" + session.token()))).isEmpty();
    }
}
