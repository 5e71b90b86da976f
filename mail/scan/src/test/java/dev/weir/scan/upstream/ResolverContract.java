package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The contract of every {@link Resolver}. */
public abstract class ResolverContract {
    /** Returns a resolver that knows 127.0.0.1. */
    protected abstract Resolver resolver();

    @Test
    void resolvesAnAddressToItself() throws Exception {
        assertThat(resolver().addresses("127.0.0.1")).containsExactly(InetAddress.ofLiteral("127.0.0.1"));
    }

    @Test
    void rejectsServicesOfAMissingDomain() {
        assertThatThrownBy(() -> resolver().services("fuzzy", "nowhere.invalid"))
                .isInstanceOf(UnknownHostException.class).hasMessageContaining("nowhere.invalid");
    }
}
