package dev.weir.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.scan.StorageAddress;
import dev.weir.storage.server.Bind;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a place to listen on as Rspamd's {@code bind_socket} has it: {@code host:port}, {@code [::1]:port}, {@code *:port}
 * for all addresses, or {@code /path/of/socket mode=0660}. Without a port it is Rspamd's.
 */
final class BindConverter implements ITypeConverter<Bind> {
    private static final Pattern SOCKET = Pattern.compile("([/.]\\S*)(?:\\s+mode=0?([0-7]{3}))?");

    @Override
    public Bind convert(String text) {
        try {
            final Matcher socket = SOCKET.matcher(text.strip());
            if (text.startsWith("/") || text.startsWith(".")) {
                if (!socket.matches()) {
                    throw new TypeConversionException("\"" + text
                            + "\" is no socket: write its path, and \"mode=0660\" behind it if others may open it");
                }
                return new Bind.Unix(Path.of(socket.group(1)),
                        socket.group(2) == null ? Bind.Unix.OWN_USER : mode(socket.group(2)));
            }
            final StorageAddress address = StorageAddress.parseBind(text);
            return new Bind.Inet(new InetSocketAddress(
                    "*".equals(address.host()) ? everything() : InetAddress.getByName(address.host()), address.port()));
        } catch (final UnknownHostException e) {
            throw new TypeConversionException("the host in \"" + text + "\" is not known");
        } catch (final IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    /** The address that takes both families; on a machine without IPv6 the one of IPv4. */
    private static InetAddress everything() {
        try (DatagramChannel _ = DatagramChannel.open(StandardProtocolFamily.INET6)) {
            return InetAddress.ofLiteral("::");
        } catch (final IOException | UnsupportedOperationException noIpv6) {
            return InetAddress.ofLiteral("0.0.0.0");
        }
    }

    private static Set<PosixFilePermission> mode(String octal) {
        final Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < octal.length(); i++) {
            final int bits = octal.charAt(i) - '0';
            text.append((bits & 4) != 0 ? 'r' : '-').append((bits & 2) != 0 ? 'w' : '-')
                    .append((bits & 1) != 0 ? 'x' : '-');
        }
        mode.addAll(PosixFilePermissions.fromString(text.toString()));
        return mode;
    }
}
