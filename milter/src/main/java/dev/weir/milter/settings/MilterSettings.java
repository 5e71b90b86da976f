package dev.weir.milter.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.http.controller.Actions;
import dev.weir.model.Networks;
import dev.weir.scan.StorageAddress;

/**
 * The settings of a filter.
 *
 * @param binds the addresses to listen on
 * @param allowed the networks that may connect besides this machine; empty if there are none
 * @param actions score thresholds
 * @param policy what becomes of a mail
 * @param limits limits of mails and connections
 */
public record MilterSettings(List<SocketAddress> binds, Optional<Networks> allowed, Actions actions,
        MilterPolicy policy, MilterLimits limits) {
    /** The port of Rspamd's proxy, where its milter listens. */
    public static final int DEFAULT_PORT = 11_332;

    /** Listens on 127.0.0.1:11332 with all defaults. */
    public static final MilterSettings DEFAULT = new MilterSettings(
            List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), DEFAULT_PORT)), Optional.empty(),
            Actions.DEFAULT, MilterPolicy.DEFAULT, MilterLimits.DEFAULT);

    /** Copies the list. */
    public MilterSettings {
        binds = List.copyOf(binds);
    }

    /** Returns whether a mail server at an address may connect. */
    public boolean admits(InetAddress address) {
        return address.isLoopbackAddress() || allowed.filter(networks -> networks.contains(address)).isPresent();
    }

    /**
     * Returns why no mail server could use one of these addresses: it is open to more than this machine, and only this
     * machine may connect.
     *
     * @return a sentence without a subject, such as {@code listens on ...}
     */
    public Optional<String> shutDoor() {
        return allowed.isPresent()
                ? Optional.empty()
                : binds.stream().filter(InetSocketAddress.class::isInstance).map(InetSocketAddress.class::cast)
                        .filter(bind -> !bind.getAddress().isLoopbackAddress()).findFirst()
                        .map(bind -> "listens on "
                                + new StorageAddress(bind.getAddress().getHostAddress(), bind.getPort())
                                + ", which is open to more than this machine, and has no allow_ip: name the networks"
                                + " of the mail servers");
    }

    /**
     * Requires networks that may connect, if an address is open to more than this machine.
     *
     * @throws IllegalArgumentException with the result of {@link #shutDoor}
     */
    public void requireOpenDoor() {
        shutDoor().ifPresent(problem -> {
            throw new IllegalArgumentException("worker \"milter\" " + problem);
        });
    }

    /** Returns a copy with other addresses. */
    public MilterSettings withBinds(List<? extends SocketAddress> addresses) {
        return new MilterSettings(List.copyOf(addresses), allowed, actions, policy, limits);
    }

    /** Returns a copy with networks that may connect. */
    public MilterSettings withAllowed(Optional<Networks> networks) {
        return new MilterSettings(binds, networks, actions, policy, limits);
    }

    /** Returns a copy with other thresholds. */
    public MilterSettings withActions(Actions others) {
        return new MilterSettings(binds, allowed, others, policy, limits);
    }

    /** Returns a copy with another policy. */
    public MilterSettings withPolicy(MilterPolicy other) {
        return new MilterSettings(binds, allowed, actions, other, limits);
    }

    /** Returns a copy with other limits. */
    public MilterSettings withLimits(MilterLimits others) {
        return new MilterSettings(binds, allowed, actions, policy, others);
    }
}
