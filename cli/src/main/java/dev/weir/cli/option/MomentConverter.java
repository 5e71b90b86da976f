package dev.weir.cli.option;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A parser of points in time: a date, a date with a time (local, or with a zone such as Z), or an age such as 2h.
 */
public final class MomentConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        try {
            if (text.indexOf('T') < 0 && text.indexOf('-') > 0) {
                return LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant();
            }
            if (text.indexOf('T') > 0) {
                boolean zoned = text.endsWith("Z") || text.lastIndexOf('+') > 0
                        || text.lastIndexOf('-') > text.indexOf('T');
                return zoned
                        ? OffsetDateTime.parse(text).toInstant()
                        : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant();
            }
            return Instant.now().minus(new TimeConverter().convert(text));
        } catch (DateTimeParseException | TypeConversionException e) {
            throw new TypeConversionException(
                    "\"" + text + "\" is not a time: write a date (2026-07-31), a date with a "
                            + "time (2026-07-31T18:30, 2026-07-31T16:30Z) or an age (90m, 2h, 7d)");
        }
    }
}
