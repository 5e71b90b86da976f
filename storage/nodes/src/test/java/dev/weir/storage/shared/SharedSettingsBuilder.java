package dev.weir.storage.shared;

import java.time.Duration;
import java.util.List;

import dev.weir.storage.shared.SharedSettings.Confirmation;
import dev.weir.storage.shared.SharedSettings.Login;
import dev.weir.storage.shared.SharedSettings.Mode;
import dev.weir.storage.shared.SharedSettings.Tls;
import org.jspecify.annotations.Nullable;

/** Settings of tests: one server with Rspamd's layout, unless told otherwise. */
final class SharedSettingsBuilder {
    private Mode mode = Mode.STANDALONE;
    private List<RedisAddress> servers;
    private List<RedisAddress> readers = List.of();
    private String master = "";
    private Login login = new Login("", "", "");
    private @Nullable Tls tls;
    private SharedLayout layout = SharedLayout.RSPAMD;
    private int shards = 1;
    private Duration reconcile = Duration.ofMinutes(10);
    private boolean asks;
    private Confirmation confirmation = Confirmation.NONE;

    private SharedSettingsBuilder(List<RedisAddress> servers) {
        this.servers = servers;
    }

    /** Starts with a server. */
    static SharedSettingsBuilder at(RedisAddress server) {
        return new SharedSettingsBuilder(List.of(server));
    }

    /** Starts with other settings. */
    static SharedSettingsBuilder of(SharedSettings start) {
        SharedSettingsBuilder builder = new SharedSettingsBuilder(start.servers());
        builder.mode = start.mode();
        builder.readers = start.readers();
        builder.master = start.master();
        builder.login = start.login();
        builder.tls = start.tls();
        builder.layout = start.layout();
        builder.shards = start.shards();
        builder.reconcile = start.reconcile();
        builder.asks = start.asks();
        builder.confirmation = start.confirmation();
        return builder;
    }

    SharedSettingsBuilder servers(Mode how, List<RedisAddress> places, String masterName) {
        mode = how;
        servers = places;
        master = masterName;
        return this;
    }

    SharedSettingsBuilder readers(List<RedisAddress> places) {
        readers = places;
        return this;
    }

    SharedSettingsBuilder layout(SharedLayout kind, int parts) {
        layout = kind;
        shards = parts;
        return this;
    }

    SharedSettingsBuilder login(Login who, @Nullable Tls encryption) {
        login = who;
        tls = encryption;
        return this;
    }

    SharedSettingsBuilder reconcile(Duration interval) {
        reconcile = interval;
        return this;
    }

    SharedSettingsBuilder asks() {
        asks = true;
        return this;
    }

    SharedSettingsBuilder confirmation(Confirmation condition) {
        confirmation = condition;
        return this;
    }

    SharedSettings build() {
        return new SharedSettings(mode, servers, readers, master, login, tls, 0, SharedSettings.PREFIX, layout,
                shards,
                Duration.ofSeconds(1), reconcile, asks, SharedSettings.HISTORY, confirmation);
    }
}
